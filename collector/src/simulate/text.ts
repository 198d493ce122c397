/** Simulates a string: the shipping question, randomizer, codec and estimator of candidates over seeded rounds, beside theory. */

import { type DeviceQuestion, permanent, stringHashing, text } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { mechanismOf, type StringLaw, toBase64url } from '@murmuration/shared';
import { UsageError } from '../commands/usage.ts';
import { estimatesOf } from '../estimators/estimator.ts';
import { stringVariance } from '../estimators/strings.ts';
import { Folder } from '../fold/folder.ts';
import type { Tallies } from '../store/store.ts';
import { sampler } from './distribution.ts';
import { averageOf, errorsOf, permanentErrors, type RoundErrors, type Simulation } from './simulation.ts';

/** What to simulate: so many strings, all of them candidates. */
export interface TextSimulation extends Simulation {
  readonly answers: number;
}

interface Round extends RoundErrors {
  /** Of all days together. */
  readonly allDays: RoundErrors;
}

/** The mechanisms that can be named. */
const NAMED: { readonly [name: string]: (ask: Parameters<typeof text>[0]) => DeviceQuestion<string> } = {
  rappor: text,
  'string-hashing': (ask) => text({ ...ask, mechanism: stringHashing() }),
};

function questionOf({ epsilon, mechanism = 'rappor', permanent: epoch }: TextSimulation): DeviceQuestion<string> {
  const named = Object.hasOwn(NAMED, mechanism) ? NAMED[mechanism] : undefined;
  if (!named) throw new UsageError(`--mechanism: expected ${Object.keys(NAMED).join(' or ')}, got ${JSON.stringify(mechanism)}`);
  const question = named({ epsilon, description: 'simulated' });
  return epoch === undefined ? question : permanent(question, { epsilon: epoch, renew: 'never' });
}

/** One round, with strings of its own: theory is a mean over the hash, too. */
function simulateRound(
  question: DeviceQuestion<string>,
  law: StringLaw,
  { clients, shares, answers, permanent: epoch, days = 1 }: TextSimulation,
  seed: number,
): Round {
  const word = words(seededRng(seed));
  const coins = createCoins(word);
  const draw = sampler(shares, () => word() / 2 ** 32);
  const randomize = question.randomizers[law.mechanism] as unknown as (law: StringLaw, input: unknown, coins: unknown) => Uint8Array;
  const respond = question.respond as unknown as (law: StringLaw, symbol: string, coins: unknown) => Uint8Array;
  const { decode, shape } = mechanismOf(law);
  const candidates = Array.from({ length: answers }, (_, i) => `${seed}/${i}`);
  const truth = new Float64Array(answers);
  const together = candidates.map(() => new Map<number, number>()); // of each string's devices, by cohort
  const [first, all] = [new Folder(shape(law)), new Folder(shape(law))];
  for (let i = 0; i < clients; i++) {
    const own = draw();
    const symbol = randomize(law, question.input(candidates[own] as string), coins);
    const { cohort } = decode(law, symbol);
    const cohorts = together[own] as Map<number, number>;
    cohorts.set(cohort, (cohorts.get(cohort) ?? 0) + 1);
    truth[own] = (truth[own] as number) + 1 / clients;
    for (let day = 0; day < days; day++) {
      const payload = [toBase64url(epoch === undefined ? symbol : respond(law, toBase64url(symbol), coins))];
      all.addPayloads(payload);
      if (day === 0) first.addPayloads(payload);
    }
  }
  // Σ_j (n_jw / n)² of each string w: what it adds to the errors of the others.
  const masses = together.map((cohorts) => [...cohorts.values()].reduce((sum, count) => sum + (count / clients) ** 2, 0));
  const mass = masses.reduce((sum, each) => sum + each, 0);
  const mean = (of: (share: number, candidate: number) => number): number => averageOf(Array.from(truth, of));
  const errors = (tallies: Tallies, perDevice: number): RoundErrors => {
    const rows = estimatesOf(law, { tallies, perDevice, candidates });
    const variance = stringVariance(law, clients * perDevice, perDevice);
    return {
      squaredError: mean((share, i) => ((rows[i]?.estimate ?? 0) - share) ** 2),
      theory: mean((share, i) => variance(share, mass - (masses[i] as number))),
      covered: mean((share, i) => Number((rows[i]?.low ?? 1) <= share && share <= (rows[i]?.high ?? 0))),
    };
  };
  return { ...errors(first.tallies(), 1), allDays: errors(all.tallies(), days) };
}

/** Runs the rounds; MSE is the mean over strings of (estimate - the sample's own frequency)², then over rounds. */
export function simulateText(simulation: TextSimulation): object {
  const { answers, epsilon, clients, rounds, seed } = simulation;
  const question = questionOf(simulation);
  const law = question.law(question.size, epsilon, clients) as StringLaw;
  const results = Array.from({ length: rounds }, (_, round) => simulateRound(question, law, simulation, seed * 1_000_003 + round));
  return {
    type: 'text',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    answers,
    clients,
    rounds,
    ...errorsOf(results),
    ...permanentErrors(
      simulation,
      results.map(({ allDays }) => allDays),
    ),
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}
