/** Simulates a number: the shipping question, randomizer, codec and estimator over seeded rounds, beside what theory says. */

import {
  count,
  type DeviceQuestion,
  duchi,
  geometric,
  hybrid,
  laplace,
  type MeanMechanism,
  mean,
  permanent,
  piecewise,
} from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { mechanismOf, type NumberLaw, type OneBitLaw, type Range, toBase64url } from '@murmuration/shared';
import { UsageError } from '../commands/usage.ts';
import { estimatesOf, scoresOf } from '../estimators/estimator.ts';
import { Folder } from '../fold/folder.ts';
import { sampler } from './distribution.ts';
import { type Errors, errorsOf, type PermanentErrors, permanentErrors, type RoundErrors, type Simulation } from './simulation.ts';

/** What to simulate: numbers evenly spaced over a range, one for each share. */
export interface NumberSimulation extends Simulation {
  readonly type: 'mean' | 'count';
  readonly range: Range;
}

/** So many numbers stand for a range. */
export const NUMBERS = 101;

interface Round extends RoundErrors {
  /** Of all days together. */
  readonly allDays: RoundErrors;
}

/** The kept bit by itself: its law without the second stage. */
const keptOf = ({ mechanism, size, truth }: OneBitLaw): OneBitLaw => ({ mechanism, size, truth });

function simulateRound(
  question: DeviceQuestion<number>,
  law: NumberLaw,
  { clients, shares, range, permanent: epoch, days = 1 }: NumberSimulation,
  seed: number,
): Round {
  const word = words(seededRng(seed));
  const coins = createCoins(word);
  const draw = sampler(shares, () => word() / 2 ** 32);
  const randomize = question.randomizers[law.mechanism] as unknown as (law: NumberLaw, input: unknown, coins: unknown) => Uint8Array;
  const respond = question.respond as unknown as (law: NumberLaw, symbol: string, coins: unknown) => Uint8Array;
  const once = scoresOf(law);
  const kept = law.mechanism === 'one-bit' ? scoresOf(keptOf(law)) : once;
  const width = range[1] - range[0];
  const first = new Folder(mechanismOf(law).shape(law));
  const all = days > 1 ? new Folder(mechanismOf(law).shape(law)) : first;
  const packed = new Int32Array(first.packing.words);
  const bytes = new Uint8Array(packed.buffer);
  let [total, variance, keptVariance] = [0, 0, 0];
  for (let i = 0; i < clients; i++) {
    const place = draw() / (shares.length - 1);
    const symbol = randomize(law, question.input(range[0] + width * place), coins);
    for (let day = 0; day < days; day++) {
      first.packing.packBytes(epoch === undefined ? symbol : respond(law, toBase64url(symbol), coins), packed, bytes, 0);
      all.add(packed, 0);
      if (day === 0 && all !== first) first.add(packed, 0);
    }
    total += place;
    variance += once.varianceAt(place) / clients;
    keptVariance += kept.varianceAt(place) / clients;
  }
  const truth = total / clients;
  const errors = (folder: Folder, perDevice: number): RoundErrors => {
    const [row] = estimatesOf(law, { tallies: folder.tallies(), perDevice, candidates: [] });
    const { estimate = 0, low = 0, high = 0 } = row ?? {};
    return {
      squaredError: width * width * (estimate - truth) ** 2,
      // Reports of one device share the kept bit: (v₁ + (T - 1) v∞) / N.
      theory: (width * width * (variance + (perDevice - 1) * keptVariance)) / (clients * perDevice),
      covered: Number(low <= truth && truth <= high),
    };
  };
  return { ...errors(first, 1), allDays: errors(all, days) };
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

const ONE_BIT = 'one-bit';

function questionOf({ type, range, epsilon, mechanism, permanent: epoch }: NumberSimulation): DeviceQuestion<number> {
  const ask = { epsilon, description: 'simulated' };
  const whole = (): DeviceQuestion<number> => (type === 'mean' ? mean(range, ask) : count(range[1], ask));
  if (epoch !== undefined) {
    if (mechanism !== undefined && mechanism !== ONE_BIT)
      throw new UsageError(`--mechanism: expected ${ONE_BIT} where --permanent is given, got ${JSON.stringify(mechanism)}`);
    return permanent(whole(), { epsilon: epoch, renew: 'never' });
  }
  if (mechanism === undefined) return whole();
  const named = Object.hasOwn(NAMED[type], mechanism) ? NAMED[type][mechanism] : undefined;
  if (!named) throw new UsageError(`--mechanism: expected ${Object.keys(NAMED[type]).join(' or ')}, got ${JSON.stringify(mechanism)}`);
  return named(range, ask);
}

/** What a simulation of a number says. */
type NumberResult = Errors &
  Partial<PermanentErrors> & {
    readonly type: 'mean' | 'count';
    readonly mechanism: string;
    readonly parameters: NumberLaw;
    readonly epsilon: number;
    readonly range: Range;
    readonly clients: number;
    readonly rounds: number;
    readonly worstMse: number;
    readonly bytesPerReport: number;
  };

/** Runs the rounds. Errors are of the mean of the sample's own numbers, in the unit of the range. */
export function simulateNumber(simulation: NumberSimulation): NumberResult {
  const { type, range, epsilon, clients, rounds, seed } = simulation;
  const question = questionOf(simulation);
  const law = question.law(question.size, epsilon, clients) as NumberLaw;
  const results = Array.from({ length: rounds }, (_, round) => simulateRound(question, law, simulation, seed * 1_000_003 + round));
  return {
    type,
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    range,
    clients,
    rounds,
    ...errorsOf(results),
    worstMse: ((range[1] - range[0]) ** 2 * scoresOf(law).worst) / clients,
    ...permanentErrors(
      simulation,
      results.map(({ allDays }) => allDays),
    ),
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}
