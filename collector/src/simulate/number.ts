/** Simulates a number: the shipping question, randomizer, codec and estimator over seeded rounds, beside what theory says. */

import { count, type DeviceQuestion, duchi, geometric, hybrid, laplace, type MeanMechanism, mean, piecewise } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { mechanismOf, type NumberLaw, type Range } from '@murmuration/shared';
import { UsageError } from '../commands/usage.ts';
import { estimatesOf, scoresOf } from '../estimators/estimator.ts';
import { Folder } from '../fold/folder.ts';
import { sampler } from './distribution.ts';
import { averageOf, type Simulation } from './simulation.ts';

/** What to simulate: numbers evenly spaced over a range, one for each share. */
export interface NumberSimulation extends Simulation {
  readonly type: 'mean' | 'count';
  readonly range: Range;
}

/** So many numbers stand for a range. */
export const NUMBERS = 101;

interface Round {
  readonly squaredError: number;
  /** The variance that the law gives the estimate, for just these numbers. */
  readonly theory: number;
  readonly covered: boolean;
}

function simulateRound(
  question: DeviceQuestion<number>,
  law: NumberLaw,
  { clients, shares, range }: NumberSimulation,
  seed: number,
): Round {
  const word = words(seededRng(seed));
  const coins = createCoins(word);
  const draw = sampler(shares, () => word() / 2 ** 32);
  const randomize = question.randomizers[law.mechanism] as unknown as (law: NumberLaw, input: unknown, coins: unknown) => Uint8Array;
  const { varianceAt } = scoresOf(law);
  const width = range[1] - range[0];
  const folder = new Folder(mechanismOf(law).shape(law));
  const packed = new Int32Array(folder.packing.words);
  const bytes = new Uint8Array(packed.buffer);
  let [total, variance] = [0, 0];
  for (let i = 0; i < clients; i++) {
    const place = draw() / (shares.length - 1);
    folder.packing.packBytes(randomize(law, question.input(range[0] + width * place), coins), packed, bytes, 0);
    folder.add(packed, 0);
    total += place;
    variance += varianceAt(place);
  }
  const [row] = estimatesOf(law, { tallies: folder.tallies(), perDevice: 1, candidates: [] });
  const { estimate = 0, low = 0, high = 0 } = row ?? {};
  const truth = total / clients;
  return {
    squaredError: width * width * (estimate - truth) ** 2,
    theory: (width * width * variance) / (clients * clients),
    covered: low <= truth && truth <= high,
  };
}

type Asking = (range: Range, ask: { readonly epsilon: number; readonly description: string }) => DeviceQuestion<number>;

const ofMean =
  (mechanism: () => MeanMechanism): Asking =>
  (range, ask) =>
    mean(range, { ...ask, mechanism: mechanism() });

/** The mechanisms that can be named. */
const NAMED: { readonly [T in NumberSimulation['type']]: { readonly [name: string]: Asking } } = {
  mean: { piecewise: ofMean(piecewise), duchi: ofMean(duchi), hybrid: ofMean(hybrid), laplace: ofMean(laplace) },
  count: {
    piecewise: ([, max], ask) => count(max, ask),
    geometric: ([, max], ask) => count(max, { ...ask, mechanism: geometric() }),
  },
};

function questionOf({ type, range, epsilon, mechanism }: NumberSimulation): DeviceQuestion<number> {
  const ask = { epsilon, description: 'simulated' };
  if (mechanism === undefined) return type === 'mean' ? mean(range, ask) : count(range[1], ask);
  const named = Object.hasOwn(NAMED[type], mechanism) ? NAMED[type][mechanism] : undefined;
  if (!named) throw new UsageError(`--mechanism: expected ${Object.keys(NAMED[type]).join(' or ')}, got ${JSON.stringify(mechanism)}`);
  return named(range, ask);
}

/** Runs the rounds. Errors are of the mean of the sample's own numbers, in the unit of the range. */
export function simulateNumber(simulation: NumberSimulation): {
  readonly type: 'mean' | 'count';
  readonly mechanism: string;
  readonly parameters: NumberLaw;
  readonly epsilon: number;
  readonly range: Range;
  readonly clients: number;
  readonly rounds: number;
  readonly mse: number;
  readonly mseStandardError: number | null;
  readonly theoryMse: number;
  readonly worstMse: number;
  readonly coverage95: number;
  readonly bytesPerReport: number;
} {
  const { type, range, epsilon, clients, rounds, seed } = simulation;
  const question = questionOf(simulation);
  const law = question.law(question.size, epsilon, clients) as NumberLaw;
  const results = Array.from({ length: rounds }, (_, round) => simulateRound(question, law, simulation, seed * 1_000_003 + round));
  const mse = averageOf(results.map(({ squaredError }) => squaredError));
  const spread = results.reduce((sum, { squaredError }) => sum + (squaredError - mse) ** 2, 0);
  return {
    type,
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    range,
    clients,
    rounds,
    mse,
    mseStandardError: rounds > 1 ? Math.sqrt(spread / (rounds - 1) / rounds) : null,
    theoryMse: averageOf(results.map(({ theory }) => theory)),
    worstMse: ((range[1] - range[0]) ** 2 * scoresOf(law).worst) / clients,
    coverage95: averageOf(results.map(({ covered }) => Number(covered))),
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}
