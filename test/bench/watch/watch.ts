/**
 * `npm run bench -- watch`: how often honest fleets alarm the poisoning watch, the least share of crafted reports that it
 * finds, and what it costs.
 */

import {
  countMeanSketchLaw,
  hadamardLaw,
  hierarchicalLaw,
  type Law,
  listLaw,
  localHashingLaw,
  mechanismOf,
  projectiveLaw,
  rapporLaw,
  squareWaveLaw,
  stringHashingLaw,
} from '@murmuration/shared';
import { watchOf } from '#collector/estimation/watch/watch.ts';
import { subjects } from '../../conformance/subjects.ts';
import { ATTACKS, craftedOf, fleetOf, POPULATIONS, watchReports } from '../../kit/watched-fleets.ts';
import { atMost } from '../../proofs/statistics.ts';
import { costOfDays, falseSigns, robust } from './days.ts';

/** Fleets of each law and population, and their devices. */
const [FLEETS, DEVICES] = [100, 300];
const LEVELS = [0.01, 0.001] as const;
/** Reports of a metric on a day whose rounds are timed; runs of a poisoned day; months of honest apps. */
const [DAILY, RUNS, MONTHS] = [200_000, 20, 300];
/** How much above its level chi squared of small classes may be (collector/src/estimation/watch/fit.ts). */
const ROOM = 1.2;
const SUSPICIOUS = 1e-6;
const REPORTS = 20_000;
const SHARES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5] as const;

interface Found {
  readonly rows: readonly (readonly string[])[];
  readonly result: object;
  readonly failures: readonly string[];
}

function falseAlarms(): Found {
  const rows: string[][] = [['honest fleets', 'fleets', ...LEVELS.map((level) => `p at most ${level}`)]];
  const failures: string[] = [];
  let [seed, all] = [1, 0];
  const sums = LEVELS.map(() => 0);
  for (const { name, subject } of subjects) {
    let fleets = 0;
    const alarms = LEVELS.map(() => 0);
    for (const law of [...subject.specimen.laws, ...subject.specimen.large] as readonly Law[])
      for (const population of POPULATIONS) {
        const fleet = fleetOf(subject, law, population, seed++);
        for (let i = 0; i < FLEETS; i++) {
          fleets++;
          const { pValue } = watchReports(law, fleet.honest(DEVICES));
          LEVELS.forEach((level, at) => {
            if (pValue <= level) alarms[at] = (alarms[at] as number) + 1;
          });
        }
      }
    LEVELS.forEach((level, at) => {
      const count = alarms[at] as number;
      sums[at] = (sums[at] as number) + count;
      if (1 - atMost(count - 1, fleets, ROOM * level) < SUSPICIOUS)
        failures.push(`${name}: expected at most ${level} of ${fleets} fleets, got ${count}`);
    });
    all += fleets;
    rows.push([name, String(fleets), ...alarms.map((count) => (count / fleets).toFixed(4))]);
  }
  rows.push(['all', String(all), ...sums.map((count) => (count / all).toFixed(5))]);
  return { rows, result: rows, failures };
}

function power(): Found {
  const rows: string[][] = [['the last large law of each', ...ATTACKS]];
  for (const { name, subject } of subjects) {
    const law = subject.specimen.large.at(-1) as Law;
    const leastOf = (attack: (typeof ATTACKS)[number]): string => {
      for (const share of SHARES) {
        const fleet = fleetOf(subject, law, 'zipf', 5);
        const crafted = craftedOf(law, attack, fleet, share * REPORTS);
        if (crafted === undefined) return '';
        if (watchReports(law, [...fleet.honest((1 - share) * REPORTS), ...crafted]).pValue < SUSPICIOUS) return `${100 * share} %`;
      }
      return 'none';
    };
    rows.push([name, ...ATTACKS.map(leastOf)]);
  }
  return { rows, result: rows, failures: [] };
}

/** Tallies as even as whole numbers are. */
function evenly(law: Law, reports: number): Parameters<typeof watchOf>[1] {
  const { cohorts, cells } = mechanismOf(law).shape(law);
  const each = Math.floor(reports / cohorts);
  return new Map(
    Array.from({ length: cohorts }, (_, cohort) => [
      cohort,
      { reports: each, cells: new Float64Array(cells).fill(Math.floor(each / cells)) },
    ]),
  );
}

function costs(): Found {
  const laws: readonly (readonly [what: string, law: Law])[] = [
    ['square wave, 64 cells, ε 1', squareWaveLaw(64, 1)],
    ['square wave, 256 cells, ε 1', squareWaveLaw(256, 1)],
    ['hierarchical, 64 cells, ε 1', hierarchicalLaw(64, 1)],
    ['hierarchical, 256 cells, ε 1', hierarchicalLaw(256, 1)],
    ['the default list, 1,024 answers, ε 1', listLaw(1024, 1)],
    ['local hashing, 1,024 answers, ε 1', localHashingLaw(1024, 1)],
    ['hadamard, 1,024 answers, ε 1', hadamardLaw(1024, 1)],
    ['projective, 1,024 answers, ε 1', projectiveLaw(1024, 1)],
    ['count mean sketch, 1,024 answers, ε 1', countMeanSketchLaw(1024, 1)],
    ['rappor, 8,192 cohorts', { ...rapporLaw(1, 1), cohorts: 8192 }],
    ['string hashing, 8,192 cohorts', { ...stringHashingLaw(1, 1), cohorts: 8192 }],
  ];
  const rows: string[][] = [['cost of the watch', 'cells', 'CPU milliseconds']];
  for (const [what, law] of laws) {
    const { cohorts, cells } = mechanismOf(law).shape(law);
    const tallies = evenly(law, 1e7);
    const times = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      watchOf(law, tallies, [], 1);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }).sort((a, b) => a - b);
    rows.push([what, (cohorts * cells).toLocaleString('en'), (times[2] as number).toFixed(1)]);
  }
  return { rows, result: rows, failures: [] };
}

export async function watch(): Promise<{ readonly result: { readonly passed: boolean }; readonly rows: readonly (readonly string[])[] }> {
  const parts = {
    rounds: await costOfDays(DAILY),
    robust: robust(RUNS),
    signs: await falseSigns(MONTHS),
    costs: costs(),
    power: power(),
    falseAlarms: falseAlarms(),
  };
  const failures = Object.values(parts).flatMap((part) => part.failures);
  const rows = Object.values(parts).flatMap((part, i) => [...(i > 0 ? [[]] : []), ...part.rows]);
  return {
    result: { passed: failures.length === 0, ...Object.fromEntries(Object.entries(parts).map(([name, { result }]) => [name, result])) },
    rows: [...rows, ...failures.map((failure) => [failure])],
  };
}
