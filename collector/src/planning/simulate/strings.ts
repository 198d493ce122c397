/** Simulates strings, looked up among candidates or found without a list: production code over seeded rounds, compared with theory. */

import { type DeviceQuestion, discover, permanent, text } from '@murmuration/client';
import { CLEAR, mechanismOf, type PrefixLaw, type StringLaw } from '@murmuration/shared';
import { discover as discoverIn } from '../../decoding/discovery/discover.ts';
import { estimatesOf, estimationOf } from '../../estimation/mechanisms/table.ts';
import { isFitting } from '../../estimation/string-fit.ts';
import { stringVariance } from '../../estimation/strings.ts';
import { clientMechanism, simulatedAs } from './lists.ts';
import {
  averageOf,
  coveredBy,
  type DaysErrors,
  daySumsOf,
  deviceOf,
  drawsOf,
  errorsBeside,
  errorsOf,
  folderOf,
  overDays,
  permanentErrors,
  reportDays,
  roundsOf,
  type Simulation,
  sharesOf,
} from './simulation.ts';

/** The input: this many strings, all of them candidates. */
export interface TextSimulation extends Simulation {
  readonly answers: number;
}

function questionOf({ epsilon, mechanism = 'rappor', permanent: epoch }: TextSimulation): DeviceQuestion<string> {
  const { client } = simulatedAs('text', mechanism);
  const question = text({ epsilon, description: 'simulated', ...(client !== undefined && { mechanism: clientMechanism('text', client) }) });
  return epoch === undefined ? question : permanent(question, { epsilon: epoch, renew: 'never' });
}

/** One round with its own strings. Theory is therefore a mean over the hash as well. */
function textRound(question: DeviceQuestion<string>, law: StringLaw, simulation: TextSimulation, seed: number): DaysErrors {
  const { clients, answers } = simulation;
  const { coins, draw } = drawsOf(simulation, seed);
  const device = deviceOf(question, law, coins);
  const sums = daySumsOf(law, simulation);
  const { decode } = mechanismOf(law);
  const candidates = Array.from({ length: answers }, (_, i) => `${seed}/${i}`);
  const drawn = new Int32Array(clients);
  const together = candidates.map(() => new Map<number, number>()); // for each string, the number of its devices by cohort
  for (let i = 0; i < clients; i++) {
    const own = draw();
    drawn[i] = own;
    const symbol = device.randomize(question.input(candidates[own] as string));
    reportDays(sums, simulation, device, symbol);
    const { cohort } = decode(law, symbol);
    const cohorts = together[own] as Map<number, number>;
    cohorts.set(cohort, (cohorts.get(cohort) ?? 0) + 1);
  }
  const truth = sharesOf(drawn, answers, clients);
  // Σ_j (n_jw / n)² of each string w: its contribution to the errors of the other strings.
  const masses = together.map((cohorts) => [...cohorts.values()].reduce((sum, count) => sum + (count / clients) ** 2, 0));
  const bloom = estimationOf(law).bloom(law);
  return overDays(sums, simulation, (tallies, perDevice) => {
    const variance = stringVariance(law, bloom, clients * perDevice, perDevice);
    // Clear strings are fitted: only the chance that spreads their devices over cohorts is left of them.
    const clear = isFitting(bloom) ? CLEAR * Math.sqrt(variance(0, 0)) : 1;
    const left = masses.map((each, i) => ((truth[i] as number) > clear ? (truth[i] as number) / clients : each));
    const mass = left.reduce((sum, each) => sum + each, 0);
    return {
      ...errorsBeside(estimatesOf(law, { tallies, perDevice, candidates }), truth),
      coveredPopulation: coveredBy(estimatesOf(law, { tallies, perDevice, candidates, people: clients }), simulation.shares),
      theory: averageOf(truth.map((share, i) => variance(share, mass - (left[i] as number)))),
    };
  });
}

/** Runs the rounds. MSE is the mean over strings of (estimate - the sample's own frequency)², then over rounds. */
export function simulateText(simulation: TextSimulation): object {
  const { answers, epsilon, clients, rounds } = simulation;
  const question = questionOf(simulation);
  const law = question.law(question.size, epsilon, clients) as StringLaw;
  const results = roundsOf(simulation, (seed) => textRound(question, law, simulation, seed));
  return {
    type: 'text',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    answers,
    clients,
    rounds,
    ...errorsOf(results),
    ...permanentErrors(simulation, results),
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}

// Simulates strings that nobody has listed: the production question, randomizer, codec and search over seeded rounds.

/** The input: this many different strings, of which the collector knows none. */
export interface DiscoverSimulation extends Simulation {
  readonly answers: number;
  /** The most bytes of a string. */
  readonly longest: number;
}

/** Result of a round. */
interface Round {
  readonly found: number;
  /** The share of the found strings that nobody has. */
  readonly falseDiscoveries: number;
  /** F1 of the strings with the largest estimates against the most frequent ones. */
  readonly f1: number;
  /** The share of found strings whose intervals hold the truth; undefined where nothing is found. */
  readonly covered: number | undefined;
  readonly unexplained: number;
}

const TOP = 50;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Lengths of the strings. With fewer bytes, all are as long as a report tells. */
const [SHORTEST, LONGEST] = [3, 10];

/** Different strings of letters. */
function stringsOf(count: number, longest: number, uniform: (n: number) => number): readonly string[] {
  const found = new Set<string>();
  const [shortest, most] = [Math.min(SHORTEST, longest), Math.min(LONGEST, longest)];
  if (LETTERS.length ** most < 4 * count)
    throw new RangeError(`--longest: expected room for ${count} strings of letters, got ${longest} bytes`);
  while (found.size < count) {
    const length = shortest + uniform(most - shortest + 1);
    found.add(Array.from({ length }, () => LETTERS[uniform(LETTERS.length)]).join(''));
  }
  return [...found];
}

function discoveryRound(question: DeviceQuestion<string>, law: PrefixLaw, simulation: DiscoverSimulation, seed: number): Round {
  const { clients, answers, longest } = simulation;
  const { coins, draw } = drawsOf(simulation, seed);
  const strings = stringsOf(answers, longest, coins.uniform);
  const device = deviceOf(question, law, coins);
  const sums = folderOf(law);
  const drawn = Int32Array.from({ length: clients }, draw);
  for (const own of drawn) sums.addReport(device.randomize(question.input(strings[own] as string)));
  const shares = sharesOf(drawn, answers, clients);
  const truth = new Map(strings.map((text, i) => [text, shares[i] as number]));
  const found = discoverIn(law, sums.tallies());
  const truths = found.strings.map(({ text }) => truth.get(text) ?? 0);
  const most = [...truth].sort(([, a], [, b]) => b - a).slice(0, TOP);
  const top = new Set(most.map(([text]) => text));
  const listed = found.strings.slice(0, TOP);
  return {
    found: truths.length,
    falseDiscoveries: truths.filter((share) => share === 0).length / Math.max(1, truths.length),
    f1: (2 * listed.filter(({ text }) => top.has(text)).length) / (listed.length + top.size),
    covered: truths.length > 0 ? coveredBy(found.strings, truths) : undefined,
    unexplained: found.unexplained.estimate,
  };
}

/** The mean of those that are known; null without any. */
const meanOf = (numbers: readonly (number | undefined)[]): number | null => {
  const known = numbers.filter((each) => each !== undefined);
  return known.length > 0 ? averageOf(known) : null;
};

/** Runs the rounds. The numbers are means over them. */
export function simulateDiscover(simulation: DiscoverSimulation): object {
  const { answers, epsilon, clients, rounds, longest } = simulation;
  const question = discover({ epsilon, longest, description: 'simulated' });
  const law = question.law(question.size, epsilon, clients) as PrefixLaw;
  const results = roundsOf(simulation, (seed) => discoveryRound(question, law, simulation, seed));
  const mean = (key: keyof Round): number | null => meanOf(results.map((each) => each[key]));
  return {
    type: 'discover',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    longest,
    answers,
    clients,
    rounds,
    found: mean('found'),
    falseDiscoveries: mean('falseDiscoveries'),
    [`f1OfTop${TOP}`]: mean('f1'),
    coverage95: mean('covered'),
    unexplained: mean('unexplained'),
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}
