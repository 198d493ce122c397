/**
 * Differencing: two tables that are harmless alone, and together show one device. Hiding small counts does not help. Noise on both does, and
 * both are charged.
 */

import { participation } from '@murmuration/collector';
import type { Random } from '../../collector/src/release/mechanisms/random.ts';
import type { ReportCount } from '../../collector/src/release/table/participation.ts';
import { mostRight, type Picture, SEED, seededRandom, show } from './attack.ts';
import { percent, percentAtMost } from './figure.ts';
import { DAY, drawing, rowsOf, schema, withAnalysts } from './participation.ts';

/** One device of the app is in Liechtenstein. It took part in the second world. */
const WORLDS = [0, 1].map((li) => rowsOf({ web: { at: 310, de: 2140, li } }));
/** Counts below this are hidden, where counts are published without noise. */
const LEAST = 10;
const ATTEMPTS = 20_000;

const reports = participation(schema, DAY, DAY);
/** The two tables: everybody, and everybody in the large countries. */
const QUESTIONS = [
  reports.ask((rows) => [rows.count({ epsilon: '1/2' })]),
  reports.where('country', 'at', 'de').ask((rows) => [rows.count({ epsilon: '1/2' })]),
] as const;
const EPSILON = 1;

/** How often each difference came out, without and with the device. */
export type Differences = readonly [without: ReadonlyMap<number, number>, withDevice: ReadonlyMap<number, number>];

/** What came out. */
export interface Differencing {
  readonly attempts: number;
  readonly exact: Differences;
  readonly ours: Differences;
  /** What an analyst had left after both tables, of ε 1. */
  readonly left: string | undefined;
}

const tallyOf = (values: readonly number[]): ReadonlyMap<number, number> => {
  const tally = new Map<number, number>();
  for (const value of values) tally.set(value, (tally.get(value) ?? 0) + 1);
  return tally;
};

/** An exact count of some countries, hidden if it is small. */
function published(rows: readonly ReportCount[], countries: readonly string[]): number {
  const sum = rows.reduce((total, { segment, reports }) => total + (countries.includes(segment['country'] ?? '') ? reports : 0), 0);
  return sum < LEAST ? Number.NaN : sum;
}

/** Carries the attack out. */
export async function attack(seed: number): Promise<Differencing> {
  const random = seededRandom(seed);
  const [all, large] = QUESTIONS.map(drawing) as [ReturnType<typeof drawing>, ReturnType<typeof drawing>];
  const inBoth = (difference: (rows: readonly ReportCount[], random: Random) => number): Differences => {
    const [without, withDevice] = WORLDS.map((rows) => tallyOf(Array.from({ length: ATTEMPTS }, () => difference(rows, random))));
    return [without as ReadonlyMap<number, number>, withDevice as ReadonlyMap<number, number>];
  };
  const left = await withAnalysts(random, { analysts: ['ann'], each: 1n }, WORLDS[1] as readonly ReportCount[], async (ask) => {
    for (const question of QUESTIONS) await ask({ analyst: 'ann', question });
    return ask({ analyst: 'ann', question: QUESTIONS[0], again: true }).then(
      () => undefined,
      ({ left }: { readonly left?: string }) => left,
    );
  });
  return {
    attempts: ATTEMPTS,
    exact: inBoth((rows) => published(rows, ['at', 'de', 'li']) - published(rows, ['at', 'de'])),
    ours: inBoth((rows) => all(rows, random) - large(rows, random)),
    left,
  };
}

/** The share of attackers who are right if they take a difference of 1 or more for the device. */
export function rightOf([without, withDevice]: Differences, attempts: number): number {
  const sum = (tally: ReadonlyMap<number, number>, isMeant: (value: number) => boolean): number =>
    [...tally].reduce((total, [value, count]) => total + (isMeant(value) ? count : 0), 0);
  return (sum(without, (value) => value < 1) + sum(withDevice, (value) => value >= 1)) / (2 * attempts);
}

const RANGE = 10;

/** Draws it. */
export function picture({ attempts, exact, ours }: Differencing): Picture {
  const points = (tally: ReadonlyMap<number, number>, aside: number): readonly (readonly [number, number])[] =>
    [...tally].filter(([value]) => Math.abs(value) <= RANGE).map(([value, count]) => [value + aside, count / attempts] as const);
  const chart = (title: string, [without, withDevice]: Differences, high: number) => ({
    title,
    x: { title: 'first table minus second table, in reports', low: -RANGE - 1, high: RANGE + 1, ticks: [-10, -5, 0, 5, 10] },
    y: { title: 'attempts', low: 0, high, ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => part * high), label: percent },
    series: [
      { name: 'the device did not take part', role: 'ours', shape: 'bars', points: points(without, -0.22) },
      { name: 'the device took part', role: 'attacked', shape: 'bars', points: points(withDevice, 0.22) },
    ] as const,
  });
  return {
    sentence:
      `Exact counts of everybody and of everybody else show one device, although counts below ${LEAST} are hidden; the same two tables, ` +
      `released at ε 1/2 each, let ${percent(rightOf(ours, attempts))} of attackers be right, where ε ${EPSILON} allows at most ` +
      `${percentAtMost(mostRight(EPSILON))}.`,
    charts: [chart('exact, small counts hidden', exact, 1), chart('released, ε 1/2 + 1/2', ours, 0.2)],
  };
}

if (import.meta.main) show('differencing', picture(await attack(SEED)));
