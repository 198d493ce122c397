/** Simulates a distribution: the production question, randomizer, codec and estimators over seeded rounds, compared with theory. */

import { type DeviceQuestion, distribution } from '@murmuration/client';
import { type DistributionLaw, mechanismOf, type Range } from '@murmuration/shared';
import { type Distribution, interval, meanPlace, quantileInterval, sharesBelow } from '../../estimation/distribution.ts';
import { distributionOf } from '../../estimation/mechanisms/table.ts';
import { clientMechanism, simulatedAs } from './lists.ts';
import {
  averageOf,
  coveredBy,
  deviceOf,
  drawsOf,
  errorsBeside,
  errorsOf,
  folderOf,
  holds,
  type RoundErrors,
  roundsOf,
  type Simulation,
  sharesOf,
} from './simulation.ts';

/** The input: a share for each cell. Numbers lie in the middle of their cell. */
export interface DistributionSimulation extends Simulation {
  readonly range: Range;
}

const LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95];

interface ShapeErrors {
  /** ∫ |F^ - F|, relative to the width of the range. */
  readonly wasserstein: number;
  /** The mean squared error of the share of a range, over all ranges of cells. */
  readonly range: number;
}

/** Errors are those of the unbiased share below an edge, over all inner edges. Theory is the variance that the estimator states. */
interface Round extends RoundErrors {
  /** By the method that finds the shares. */
  readonly shapes: Readonly<Record<string, ShapeErrors>>;
  readonly coveredQuantiles: number;
  readonly coveredMean: number;
  readonly meanSquared: number;
}

const runningSums = (shares: readonly number[]): readonly number[] => {
  let sum = 0;
  return [0, ...shares.map((share) => (sum += share))];
};

/** Computed from shares below the edges: the mean over all ranges of the squared error is twice the variance of the errors over edges. */
function shapeErrors(estimated: readonly number[], truth: readonly number[]): ShapeErrors {
  const errors = estimated.map((share, edge) => share - (truth[edge] as number));
  const [mean, edges] = [averageOf(errors), errors.length];
  return {
    wasserstein: errors.reduce((sum, error) => sum + Math.abs(error), 0) / (edges - 1),
    range: (2 * errors.reduce((sum, error) => sum + (error - mean) ** 2, 0)) / (edges - 1),
  };
}

function simulateRound(question: DeviceQuestion<number>, law: DistributionLaw, simulation: DistributionSimulation, seed: number): Round {
  const {
    clients,
    shares: { length: cells },
    range: [from, to],
  } = simulation;
  const { coins, draw } = drawsOf(simulation, seed);
  const drawn = Array.from({ length: clients }, draw);
  const { randomize } = deviceOf(question, law, coins);
  const folder = folderOf(law);
  for (const cell of drawn) folder.addReport(randomize(question.input(from + ((to - from) * (cell + 0.5)) / cells)));
  const found = distributionOf(law, folder.tallies()) as Distribution;
  const ofAll = distributionOf(law, folder.tallies(), clients) as Distribution;
  const [below, trueBelow] = [sharesBelow(found), runningSums(sharesOf(drawn, cells, clients))];
  const inner = below.slice(1, -1);
  const mean = meanPlace(found);
  const trueMean = averageOf(drawn.map((cell) => (cell + 0.5) / cells));
  const shapes = { smoothed: found.density().shares, unbiased: undefined };
  return {
    shapes: Object.fromEntries(
      Object.entries(shapes).map(([name, shape]) => [
        name,
        shapeErrors(shape ? runningSums(shape) : below.map(({ estimate }) => estimate), trueBelow),
      ]),
    ),
    ...errorsBeside(inner.map(interval), trueBelow.slice(1, -1)),
    coveredPopulation: coveredBy(sharesBelow(ofAll).slice(1, -1).map(interval), runningSums(simulation.shares).slice(1, -1)),
    theory: averageOf(inner.map(({ variance }) => variance)),
    coveredQuantiles: averageOf(
      LEVELS.map((level) => {
        const cell = trueBelow.findIndex((sum) => sum >= level - 1e-12) - 1;
        return holds(quantileInterval(below.map(interval), level), (cell + 0.5) / cells);
      }),
    ),
    coveredMean: holds(mean, trueMean),
    meanSquared: (to - from) ** 2 * (mean.estimate - trueMean) ** 2,
  };
}

const questionOf = ({ range, epsilon, mechanism, shares }: DistributionSimulation): DeviceQuestion<number> =>
  distribution(range, {
    epsilon,
    description: 'simulated',
    cells: shares.length,
    ...(mechanism !== undefined && { mechanism: clientMechanism('distribution', simulatedAs('distribution', mechanism).client) }),
  });

/** Runs the rounds. The truth is that of the sample's own numbers. */
export function simulateDistribution(simulation: DistributionSimulation): {
  readonly type: 'distribution';
  readonly mechanism: string;
  readonly parameters: DistributionLaw;
  readonly epsilon: number;
  readonly range: Range;
  readonly cells: number;
  readonly clients: number;
  readonly rounds: number;
  /** By the method that finds the shares: ∫ |F^ - F| in the unit of the range. */
  readonly wasserstein: Readonly<Record<string, number>>;
  /** The mean squared error of the share of a range, over all ranges of cells. */
  readonly rangeMse: Readonly<Record<string, number>>;
  /** For the unbiased share below an edge, over all inner edges; and the variance that is stated with it. */
  readonly mse: number;
  readonly mseStandardError: number | null;
  readonly theoryMse: number;
  readonly meanMse: number;
  readonly populationCoverage95: number;
  readonly coverage95: { readonly below: number; readonly quantiles: number; readonly mean: number };
  readonly bytesPerReport: number;
} {
  const { range, epsilon, clients, rounds, shares } = simulation;
  const question = questionOf(simulation);
  const law = question.law(question.size, epsilon, clients) as DistributionLaw;
  const results = roundsOf(simulation, (seed) => simulateRound(question, law, simulation, seed));
  const { coverage95: below, ...errors } = errorsOf(results);
  const byShape = (of: (errors: ShapeErrors) => number): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.keys(results[0]?.shapes ?? {}).map((name) => [name, averageOf(results.map(({ shapes }) => of(shapes[name] as ShapeErrors)))]),
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
    ...errors,
    meanMse: averageOf(results.map(({ meanSquared }) => meanSquared)),
    coverage95: {
      below,
      quantiles: averageOf(results.map(({ coveredQuantiles }) => coveredQuantiles)),
      mean: averageOf(results.map(({ coveredMean }) => coveredMean)),
    },
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}
