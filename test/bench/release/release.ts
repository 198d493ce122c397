/** `npm run bench -- release`: errors of the release mechanisms against theory and bounds, the speed of exact samples, and cross-overs. */

import { seededRng, words } from '@murmuration/client/testing';
import { gaussian } from '#collector/release/mechanisms/gaussian.ts';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { createRandom, systemRandom } from '#collector/release/mechanisms/random.ts';
import { decimal } from '../../collector/release/mechanisms/decimal.ts';
import { type Run, runs } from '../../collector/release/mechanisms/runs.ts';
import { atMost } from '../../proofs/statistics.ts';
import { holds, type Line, rowOf } from '../lines.ts';
import { associations, shares } from './aggregates.ts';
import { crossOver } from './cross-over.ts';
import { designs, factorizations } from './designs.ts';
import { offsets } from './offsets.ts';
import { published } from './published.ts';
import { tables } from './tables.ts';

const RUNS = 10_000;
const BETA = 0.05;
/** A count below this quantile of a law that holds exactly would be suspicious. */
const SUSPICIOUS = 1e-6;
/** The mean of so many figures is within 3 % of its expectation for every mechanism here. */
const FIGURES = 40_000;

interface Measured {
  readonly run: Run;
  readonly mean: number;
  readonly bound: number;
  readonly within: number;
}

function measure(run: Run, seed: number): Measured {
  const random = createRandom(words(seededRng(seed)));
  const bound = run.bound(BETA);
  let [within, sum] = [0, 0];
  const count = run.expected ? FIGURES : RUNS;
  // Ranges measure all their ranges in each run, which is much for one figure; so many runs are enough.
  const figures = run.expected?.of === 'squared error' && run.what.includes('range') ? RUNS : count;
  for (let i = 0; i < figures; i++) {
    const { error, figure = error } = run.draw(random);
    if (i < RUNS) within += Number(error <= bound + 1e-9);
    sum += figure;
  }
  return { run, mean: sum / figures, bound, within };
}

const figure = (x: number): string => (x >= 1000 ? x.toFixed(0) : x.toPrecision(4));

function errorRows(all: readonly Measured[]): readonly (readonly string[])[] {
  const head = ['mechanism', 'what', 'mean of', 'measured', 'theory', 'off by', `bound, β ${BETA}`, `runs within`];
  const rows = all.map(({ run, mean, bound, within }) => {
    const { expected } = run;
    const off = expected === undefined ? '' : `${((mean / expected.mean - 1) * 100).toFixed(2)} %`;
    const theory = expected === undefined ? '' : figure(expected.mean);
    return [
      run.name,
      run.what,
      expected?.of ?? 'error',
      figure(mean),
      theory,
      off,
      figure(bound),
      `${((100 * within) / RUNS).toFixed(2)} %`,
    ];
  });
  return [head, ...rows];
}

/** What is wrong with a mechanism. */
const failuresOf = ({ run, mean, within }: Measured): readonly string[] => [
  ...(run.expected !== undefined && !(Math.abs(mean / run.expected.mean - 1) <= 0.03)
    ? [`${run.name} (${run.what}): expected a mean of ${run.expected.mean} within 3 %, got ${mean}`]
    : []),
  ...(atMost(within, RUNS, 1 - BETA) < SUSPICIOUS
    ? [`${run.name} (${run.what}): expected ${100 * (1 - BETA)} % of runs within the bound, got ${within} of ${RUNS}`]
    : []),
];

/** Samples per second of CPU. */
function speedOf(sample: () => unknown, count: number): number {
  for (let i = 0; i < count / 10; i++) sample();
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) sample();
  const { user, system } = process.cpuUsage(before);
  return count / ((user + system) / 1e6);
}

function speeds(): readonly Line[] {
  const random = systemRandom();
  const geometricSpeed = (epsilon: string, atLeast?: number): Line => {
    const { sample } = geometric({ epsilon: decimal(epsilon, 'ε'), sensitivity: 1 });
    const measured = speedOf(() => sample(random), 1_000_000);
    return { what: `geometric samples, ε ${epsilon}`, measured, unit: 'per CPU second', ...(atLeast && { target: { atLeast } }) };
  };
  const gaussianSpeed = (rho: string): Line => {
    const { sample } = gaussian({ rho: decimal(rho, 'ρ'), squaredSensitivity: 1n });
    return {
      what: `gaussian samples, ρ ${rho}`,
      measured: speedOf(() => sample(random), 100_000),
      unit: 'per CPU second',
      target: { atLeast: 50_000 },
    };
  };
  return [
    ...['0.01', '0.1', '0.5', '1', '2.5'].map((epsilon) => geometricSpeed(epsilon, 1_000_000)),
    ...['0.0001', '0.01', '0.5', '2'].map(gaussianSpeed),
  ];
}

export async function release(): Promise<{ readonly result: { readonly passed: boolean }; readonly rows: readonly (readonly string[])[] }> {
  const lines = speeds();
  const all = runs.map(measure);
  const [crossings, synthetic, ranges, colluders, sharing, related] = [
    crossOver(),
    tables(),
    designs(),
    offsets(),
    shares(),
    associations(),
  ];
  const beside = published();
  const factored = factorizations();
  const failures = [...all.flatMap(failuresOf), ...beside.failures, ...factored.failures];
  const errors = all.map(({ run, mean, bound, within }) => ({
    mechanism: run.name,
    what: run.what,
    mean,
    theory: run.expected,
    bound,
    within,
  }));
  return {
    result: {
      passed: failures.length === 0 && lines.every(holds),
      errors,
      lines,
      crossings,
      synthetic,
      ranges,
      factored: factored.rows,
      colluders,
      published: beside.rows,
      sharing,
      related,
    } as {
      readonly passed: boolean;
    },
    rows: [
      ['speed', 'measured', 'target', ''],
      ...lines.map(rowOf),
      [],
      ...errorRows(all),
      [],
      ...crossings,
      [],
      ...synthetic,
      [],
      ...ranges,
      [],
      ...factored.rows,
      [],
      ...colluders,
      [],
      ...beside.rows,
      [],
      ...sharing,
      [],
      ...related,
      ...failures.map((failure) => [failure]),
    ],
  };
}
