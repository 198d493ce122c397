/** Simulates the best of options: the shipping question, randomizer, codec and estimator over seeded rounds, beside theory. */

import { readFile } from 'node:fs/promises';
import { best } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type ExponentialLaw, exponential } from '@murmuration/shared';
import { UsageError } from '../commands/usage.ts';
import { estimatesOf } from '../estimators/estimator.ts';
import { inverseOf } from '../estimators/exponential.ts';
import { sampler } from './distribution.ts';
import { averageOf, type Simulation } from './simulation.ts';

/** What to simulate: a row of utilities for each input. */
interface BestSimulation extends Simulation {
  readonly utility: readonly (readonly number[])[];
}

/** A table of numbers from a CSV file, a row for each input. */
export async function readUtility(file: string): Promise<readonly (readonly number[])[]> {
  const lines = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`--utility ${file}: ${error.message}`);
  });
  const rows = lines
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(',').map(Number));
  const bad = rows.findIndex((row) => row.length !== rows[0]?.length || row.length < 2 || !row.every(Number.isFinite));
  if (bad >= 0 || rows.length < 2)
    throw new UsageError(`--utility ${file}: expected 2 rows or more of as many numbers, got line ${bad + 1}`);
  return rows;
}

interface Round {
  readonly squaredError: number;
  /** The mean variance that the law gives the estimates, for just these inputs. */
  readonly theory: number;
  readonly covered: number;
  /** The mean loss of utility against the best option. */
  readonly loss: number;
}

const questionOf = ({ utility, epsilon }: BestSimulation) =>
  best(
    (utility[0] as readonly number[]).map((_, j) => `${j}`),
    { utility: Object.fromEntries(utility.map((row, i) => [`input ${i}`, row])), epsilon, description: 'simulated' },
  );

function simulateRound(law: ExponentialLaw, simulation: BestSimulation, seed: number): Round {
  const { clients, shares, utility } = simulation;
  const word = words(seededRng(seed));
  const coins = createCoins(word);
  const draw = sampler(shares, () => word() / 2 ** 32);
  const { randomizers } = questionOf(simulation);
  const randomize = randomizers.exponential as unknown as (law: ExponentialLaw, input: number, coins: unknown) => Uint8Array;
  const cells = new Float64Array(exponential.shape(law).cells);
  const truth = new Float64Array(utility.length);
  let loss = 0;
  for (let i = 0; i < clients; i++) {
    const input = draw();
    const [cell] = exponential.decode(law, randomize(law, input, coins)).cells;
    const scores = utility[input] as readonly number[];
    cells[cell as number] = (cells[cell as number] as number) + 1;
    truth[input] = (truth[input] as number) + 1 / clients;
    loss += (Math.max(...scores) - (scores[cell as number] as number)) / clients;
  }
  const estimates = estimatesOf(law, { tallies: new Map([[0, { reports: clients, cells }]]), perDevice: 1, candidates: [] });
  const { squares } = inverseOf(law);
  const mean = (of: (share: number, input: number) => number): number => averageOf(Array.from(truth, of));
  return {
    squaredError: mean((share, input) => ((estimates[input]?.estimate ?? 0) - share) ** 2),
    theory: mean((share, input) => (truth.reduce((sum, other, x) => sum + other * squares.get(input, x), 0) - share) / clients),
    covered: mean((share, input) => {
      const { low = 1, high = 0 } = estimates[input] ?? {};
      return Number(low <= share && share <= high);
    }),
    loss,
  };
}

/** Runs the rounds; MSE is the mean over inputs of (estimate - the sample's own frequency)², then over rounds. */
export function simulateBest(simulation: BestSimulation): object {
  const { utility, epsilon, mechanism, clients, rounds, seed } = simulation;
  if (mechanism !== undefined && mechanism !== 'exponential') {
    throw new UsageError(`--mechanism: expected exponential, got ${JSON.stringify(mechanism)}`);
  }
  const law = questionOf(simulation).law(utility.length, epsilon, clients) as ExponentialLaw;
  inverseOf(law);
  const results = Array.from({ length: rounds }, (_, round) => simulateRound(law, simulation, seed * 1_000_003 + round));
  const average = (of: keyof Round): number => averageOf(results.map((result) => result[of]));
  const mse = average('squaredError');
  const spread = results.reduce((sum, { squaredError }) => sum + (squaredError - mse) ** 2, 0);
  return {
    type: 'best',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    inputs: utility.length,
    clients,
    rounds,
    mse,
    mseStandardError: rounds > 1 ? Math.sqrt(spread / (rounds - 1) / rounds) : null,
    theoryMse: average('theory'),
    coverage95: average('covered'),
    meanLoss: average('loss'),
    bytesPerReport: exponential.reportBytes(law),
  };
}
