/** Simulates strings that nobody has listed: the production question, randomizer, codec and search over seeded rounds. */

import { type DeviceQuestion, discover } from '@murmuration/client';
import { mechanismOf, type PrefixLaw } from '@murmuration/shared';
import { discover as discoverIn } from '../../decoding/discovery/discover.ts';
import { deviceOf, drawsOf, folderOf, sharesOf } from './round.ts';
import { averageOf, coveredBy, roundsOf, type Simulation } from './simulation.ts';

/** The input: this many different strings, of which the collector knows none. */
export interface DiscoverSimulation extends Simulation {
  readonly answers: number;
  /** The most bytes of a string. */
  readonly longest: number;
}

/** What a round found. */
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

function simulateRound(question: DeviceQuestion<string>, law: PrefixLaw, simulation: DiscoverSimulation, seed: number): Round {
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
  const results = roundsOf(simulation, (seed) => simulateRound(question, law, simulation, seed));
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
