/** Simulates a distribution: the shipping question, randomizer, codec and estimators over seeded rounds, beside what theory says. */

import { type DeviceQuestion, distribution, hierarchical } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type DistributionLaw, mechanismOf, type Range } from '@murmuration/shared';
import { UsageError } from '../commands/usage.ts';
import { type Distribution, interval, type Linear, meanPlace, quantileInterval, sharesBelow } from '../estimators/distribution.ts';
import { distributionOf } from '../estimators/estimator.ts';
import type { Tally } from '../store/store.ts';
import { sampler } from './distribution.ts';
import { averageOf, type Simulation } from './simulation.ts';

/** What to simulate: a share for each cell, in the middle of which its numbers lie. */
export interface DistributionSimulation extends Simulation {
  readonly range: Range;
}

/** The laws that can be named. */
const NAMED: { readonly [name: string]: (range: Range, ask: Parameters<typeof distribution>[1]) => DeviceQuestion<number> } = {
  'square-wave': distribution,
  hierarchical: (range, ask) => distribution(range, { ...ask, mechanism: hierarchical() }),
};

const LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95];

interface Errors {
  /** Over the width of the range: ∫ |F^ - F|. */
  readonly wasserstein: number;
  /** Mean squared error of the share of a range, over all ranges of cells. */
  readonly range: number;
}

interface Round {
  /** By how the shares are found. */
  readonly errors: Readonly<Record<string, Errors>>;
  /** Squared error of the unbiased share below an edge, over all edges, and the variance that the estimator states for it. */
  readonly below: number;
  readonly stated: number;
  readonly coveredBelow: number;
  readonly coveredQuantiles: number;
  readonly coveredMean: number;
  readonly meanSquared: number;
}

const within = (truth: number, { low, high }: { readonly low: number; readonly high: number }): number =>
  Number(low <= truth && truth <= high);

const runningSums = (shares: readonly number[]): readonly number[] => {
  let sum = 0;
  return [0, ...shares.map((share) => (sum += share))];
};

/** Of shares below the edges: the mean over all ranges of the squared error is twice the variance of the errors over edges. */
function errorsOf(estimated: readonly number[], truth: readonly number[]): Errors {
  const errors = estimated.map((share, edge) => share - (truth[edge] as number));
  const [mean, edges] = [averageOf(errors), errors.length];
  return {
    wasserstein: errors.reduce((sum, error) => sum + Math.abs(error), 0) / (edges - 1),
    range: (2 * errors.reduce((sum, error) => sum + (error - mean) ** 2, 0)) / (edges - 1),
  };
}

/** Randomizes, decodes and counts reports of cells. */
function collect(question: DeviceQuestion<number>, law: DistributionLaw, values: readonly number[], coins: unknown): Map<number, Tally> {
  const { decode, shape } = mechanismOf(law);
  const randomize = question.randomizers[law.mechanism] as unknown as (law: DistributionLaw, input: unknown, coins: unknown) => Uint8Array;
  const tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
  for (const value of values) {
    const { cohort, cells } = decode(law, randomize(law, question.input(value), coins));
    const tally = tallies.get(cohort) ?? { reports: 0, cells: new Float64Array(shape(law).cells) };
    tally.reports++;
    for (const cell of cells) tally.cells[cell] = (tally.cells[cell] as number) + 1;
    tallies.set(cohort, tally);
  }
  return tallies;
}

function simulateRound(
  question: DeviceQuestion<number>,
  law: DistributionLaw,
  { clients, shares, range: [from, to] }: DistributionSimulation,
  seed: number,
): Round {
  const word = words(seededRng(seed));
  const draw = sampler(shares, () => word() / 2 ** 32);
  const cells = shares.length;
  const drawn = Array.from({ length: clients }, draw);
  const values = drawn.map((cell) => from + ((to - from) * (cell + 0.5)) / cells);
  const truth = Array.from({ length: cells }, () => 0);
  for (const cell of drawn) truth[cell] = (truth[cell] as number) + 1 / clients;
  const found = distributionOf(law, collect(question, law, values, createCoins(word))) as Distribution;
  const [below, trueBelow] = [sharesBelow(found), runningSums(truth)];
  const inner = below.slice(1, -1);
  const mean = meanPlace(found);
  const trueMean = averageOf(drawn.map((cell) => (cell + 0.5) / cells));
  const shapes = { ...found.shapes, unbiased: undefined };
  return {
    errors: Object.fromEntries(
      Object.entries(shapes).map(([name, shape]) => [
        name,
        errorsOf(shape ? runningSums(shape) : below.map(({ estimate }) => estimate), trueBelow),
      ]),
    ),
    below: averageOf(inner.map(({ estimate }, i) => (estimate - (trueBelow[i + 1] as number)) ** 2)),
    stated: averageOf(inner.map(({ variance }) => variance)),
    coveredBelow: averageOf(inner.map((share: Linear, i) => within(trueBelow[i + 1] as number, interval(share)))),
    coveredQuantiles: averageOf(
      LEVELS.map((level) => {
        const cell = trueBelow.findIndex((sum) => sum >= level - 1e-12) - 1;
        return within((cell + 0.5) / cells, quantileInterval(below, level));
      }),
    ),
    coveredMean: within(trueMean, mean),
    meanSquared: (to - from) ** 2 * (mean.estimate - trueMean) ** 2,
  };
}

function questionOf({ range, epsilon, mechanism = 'square-wave', shares }: DistributionSimulation): DeviceQuestion<number> {
  const named = Object.hasOwn(NAMED, mechanism) ? NAMED[mechanism] : undefined;
  if (!named) throw new UsageError(`--mechanism: expected ${Object.keys(NAMED).join(' or ')}, got ${JSON.stringify(mechanism)}`);
  return named(range, { epsilon, description: 'simulated', cells: shares.length });
}

/** Runs the rounds. Truths are those of the sample's own numbers. */
export function simulateDistribution(simulation: DistributionSimulation): {
  readonly type: 'distribution';
  readonly mechanism: string;
  readonly parameters: DistributionLaw;
  readonly epsilon: number;
  readonly range: Range;
  readonly cells: number;
  readonly clients: number;
  readonly rounds: number;
  /** By how shares are found: ∫ |F^ - F| in the unit of the range. */
  readonly wasserstein: Readonly<Record<string, number>>;
  /** The mean squared error of the share of a range, over all ranges of cells. */
  readonly rangeMse: Readonly<Record<string, number>>;
  /** Of the unbiased share below an edge, over all inner edges; and the variance that is stated with it. */
  readonly mse: number;
  readonly mseStandardError: number | null;
  readonly theoryMse: number;
  readonly meanMse: number;
  readonly coverage95: { readonly below: number; readonly quantiles: number; readonly mean: number };
  readonly bytesPerReport: number;
} {
  const { range, epsilon, clients, rounds, seed, shares } = simulation;
  const question = questionOf(simulation);
  const law = question.law(question.size, epsilon, clients) as DistributionLaw;
  const results = Array.from({ length: rounds }, (_, round) => simulateRound(question, law, simulation, seed * 1_000_003 + round));
  const mse = averageOf(results.map(({ below }) => below));
  const spread = results.reduce((sum, { below }) => sum + (below - mse) ** 2, 0);
  const byShape = (of: (errors: Errors) => number): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.keys(results[0]?.errors ?? {}).map((name) => [name, averageOf(results.map(({ errors }) => of(errors[name] as Errors)))]),
    );
  return {
    type: 'distribution',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    range,
    cells: shares.length,
    clients,
    rounds,
    wasserstein: byShape((errors) => errors.wasserstein * (range[1] - range[0])),
    rangeMse: byShape((errors) => errors.range),
    mse,
    mseStandardError: rounds > 1 ? Math.sqrt(spread / (rounds - 1) / rounds) : null,
    theoryMse: averageOf(results.map(({ stated }) => stated)),
    meanMse: averageOf(results.map(({ meanSquared }) => meanSquared)),
    coverage95: {
      below: averageOf(results.map(({ coveredBelow }) => coveredBelow)),
      quantiles: averageOf(results.map(({ coveredQuantiles }) => coveredQuantiles)),
      mean: averageOf(results.map(({ coveredMean }) => coveredMean)),
    },
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}
