/** Simulates the best of options: the production question, randomizer, codec and estimator over seeded rounds, compared with theory. */

import { readFile } from 'node:fs/promises';
import { best, type DeviceQuestion } from '@murmuration/client';
import { type ExponentialLaw, exponential } from '@murmuration/shared';
import { UsageError } from '../../base/fault.ts';
import { unreadBecause } from '../../base/usage.ts';
import { inverseOf } from '../../estimation/mechanisms/exponential.ts';
import { estimatesOf } from '../../estimation/mechanisms/table.ts';
import { simulatedAs } from './lists.ts';
import {
  averageOf,
  coveredBy,
  deviceOf,
  drawsOf,
  errorsBeside,
  errorsOf,
  folderOf,
  type RoundErrors,
  roundsOf,
  type Simulation,
  sharesOf,
} from './simulation.ts';

/** The input: a row of utilities for each input. */
interface BestSimulation extends Simulation {
  readonly utility: readonly (readonly number[])[];
}

/** Reads a table of numbers from a CSV file, a row for each input. */
export async function readUtility(file: string): Promise<readonly (readonly number[])[]> {
  const lines = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--utility ${file}: ${unreadBecause(error)}`);
  });
  const rows = lines
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(',').map(Number));
  const bad = rows.findIndex((row) => row.length !== rows[0]?.length || row.length < 2 || !row.every(Number.isFinite));
  if (bad >= 0 || rows.length < 2)
    throw new UsageError(`--utility ${file}: expected at least 2 rows of equally many numbers, got line ${bad + 1}`);
  return rows;
}

interface Round extends RoundErrors {
  /** The mean loss of utility, compared with the best option. */
  readonly loss: number;
}

function questionOf({ utility, epsilon, mechanism = 'exponential' }: BestSimulation): DeviceQuestion<string> {
  simulatedAs('best', mechanism);
  const options = (utility[0] as readonly number[]).map((_, j) => `${j}`);
  return best(options, {
    utility: Object.fromEntries(utility.map((row, i) => [`input ${i}`, row])),
    epsilon,
    description: 'simulated',
  });
}

function simulateRound(question: DeviceQuestion<string>, law: ExponentialLaw, simulation: BestSimulation, seed: number): Round {
  const { clients, utility } = simulation;
  const { coins, draw } = drawsOf(simulation, seed);
  const { randomize } = deviceOf(question, law, coins);
  const folder = folderOf(law);
  const inputs = new Int32Array(clients);
  let loss = 0;
  for (let i = 0; i < clients; i++) {
    const input = draw();
    inputs[i] = input;
    const report = randomize(input);
    folder.addReport(report);
    const scores = utility[input] as readonly number[];
    const [option] = exponential.decode(law, report).cells;
    loss += (Math.max(...scores) - (scores[option as number] as number)) / clients;
  }
  const truth = sharesOf(inputs, utility.length, clients);
  const asked = { tallies: folder.tallies(), perDevice: 1, candidates: [] };
  const { squares } = inverseOf(law);
  return {
    ...errorsBeside(estimatesOf(law, asked), truth),
    coveredPopulation: coveredBy(estimatesOf(law, { ...asked, people: clients }), simulation.shares),
    // The mean variance of the estimates under the law, given exactly these inputs.
    theory: averageOf(
      truth.map((share, input) => (truth.reduce((sum, other, x) => sum + other * squares.get(input, x), 0) - share) / clients),
    ),
    loss,
  };
}

/** Runs the rounds. MSE is the mean over inputs of (estimate - the sample's own frequency)², then over rounds. */
export function simulateBest(simulation: BestSimulation): object {
  const { utility, epsilon, clients, rounds } = simulation;
  const question = questionOf(simulation);
  const law = question.law(utility.length, epsilon, clients) as ExponentialLaw;
  inverseOf(law);
  const results = roundsOf(simulation, (seed) => simulateRound(question, law, simulation, seed));
  return {
    type: 'best',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    inputs: utility.length,
    clients,
    rounds,
    ...errorsOf(results),
    meanLoss: averageOf(results.map(({ loss }) => loss)),
    bytesPerReport: exponential.reportBytes(law),
  };
}
