/**
 * The law of a whole stream as it is shipped, from opening to the last answer, by enumeration: what it publishes is at most e^ε times as
 * probable as from a table with one device-day less. Every draw is given to it, so that all noise of the threshold is gone through, and the
 * least noise of a comparison that makes a question hard is found. The probability of a transcript is then a sum of known terms.
 */

import { expect, test } from 'vitest';
import type { Random } from '#collector/release/mechanisms/random.ts';
import { Streams } from '#collector/release/streams/streams.ts';
import { type Entry, following, type Ledger, NO_ENTRY, type Wanted } from '#collector/storage/release-ledger.ts';
import { range } from '../../../proofs/channel.ts';
import { catalog, giveBudgets, request, rowsOf, stored } from './table.ts';

/** A ledger in memory, and a copy of it as it is. */
interface Memory extends Ledger {
  readonly fork: () => Memory;
}

const isWanted =
  ({ prefix = '', after = 0, newest: _newest, ...same }: Wanted) =>
  (entry: Entry): boolean =>
    entry.question.startsWith(prefix) &&
    entry.n > after &&
    Object.entries(same).every(([name, value]) => entry[name as keyof Entry] === value);

function memory(known: readonly Entry[] = [], kept: ReadonlyMap<number, string> = new Map()): Memory {
  const entries = [...known];
  const secrets = new Map(kept);
  return {
    fork: () => memory(entries, secrets),
    mayPass: () => false,
    close: async () => undefined,
    transact: (work) =>
      work({
        now: 0,
        find: async (wanted) => entries.filter(isWanted(wanted)).slice(-(wanted.newest ?? entries.length)),
        count: async (wanted) => {
          const kinds = entries.filter(isWanted(wanted)).map(({ kind }) => kind);
          return new Map(kinds.map((kind) => [kind, kinds.filter((other) => other === kind).length]));
        },
        append: async (who, entry) => {
          const next = following(entries.at(-1) ?? NO_ENTRY, who, entry, 0);
          entries.push(next);
          return next;
        },
        log: async () => undefined,
        head: async () => entries.at(-1) ?? NO_ENTRY,
        doubt: async () => undefined,
        settle: async () => undefined,
        secrets: {
          of: async (stream) => secrets.get(stream),
          keep: async (stream, text) => void secrets.set(stream, text),
          drop: async (stream) => void (stream === undefined ? secrets.clear() : secrets.delete(stream)),
          kept: async () => [...secrets.keys()],
          all: async () => [...secrets],
        },
      }),
  };
}

/** A draw that is given: the noise, and its rate. */
type Draw = readonly [noise: number, rate: number];

/** Gives these draws to the shipped sampler (mechanisms/geometric.ts), in order, and counts them. */
function given(draws: readonly Draw[]): Random & { readonly used: () => number } {
  let [used, units, noise] = [0, 0, 0];
  let isAccepted = false;
  return {
    used: () => used,
    uniform: (t) => {
      const [wanted, rate] = draws[used++] as Draw;
      const scaled = Math.round(rate * t) * Math.abs(wanted);
      [noise, units, isAccepted] = [wanted, Math.floor(scaled / t), false];
      return scaled % t;
    },
    decay: () => {
      if (isAccepted) return units-- > 0;
      isAccepted = true;
      return true;
    },
    flip: () => noise < 0,
  };
}

const EPSILON = 6;
const HARD = 2;
/** Rates by the definitions in streams/design.ts and mechanisms/interactive.ts. */
const weight = Math.round(100 * (2 * HARD) ** (2 / 3));
const session = 0.9 * EPSILON;
const RATES = {
  total: 0.1 * EPSILON,
  threshold: (2 * session * 100) / (3 * (100 + weight)),
  comparison: (2 * session * weight) / (3 * (100 + weight)) / (2 * HARD),
  answer: session / (3 * HARD),
};

/** P(Z = z), and P(Z >= z). */
const mass = (rate: number, z: number): number => ((1 - Math.exp(-rate)) / (1 + Math.exp(-rate))) * Math.exp(-rate * Math.abs(z));
const tail = (rate: number, z: number): number => {
  const a = Math.exp(-rate);
  return z > 0 ? a ** z / (1 + a) : 1 - a ** (1 - z) / (1 + a);
};

const TOTAL = 40;
const FARTHEST = 30;
const QUESTIONS = ['pro', 'free'] as const;

/** What two questions are answered: undefined for an easy answer, else the number of a hard one. */
type Transcript = readonly [number | undefined, number | undefined];

/** The probability of a transcript from a table of reports that are free and pro. */
async function probabilityOf(free: number, pro: number, transcript: Transcript): Promise<number> {
  const truths = { free, pro };
  const read = stored(0, rowsOf({ free, pro }));
  const empty = memory();
  await giveBudgets(empty, '10');
  let sum = 0;
  for (const noise of range(2 * FARTHEST + 1).map((i) => i - FARTHEST)) {
    let ledger = empty.fork();
    const opening = given([
      [TOTAL - free - pro, RATES.total],
      [noise, RATES.threshold],
    ]);
    const about = { ...request, columns: ['tier'], epsilon: `${EPSILON}`, queries: 2, about: 1_000, hard: HARD };
    const { stream, total } = await new Streams({ ledger, read, random: opening }).open({
      analysts: ['ann'],
      catalog,
      who: 'test',
      request: about,
    });
    expect([total, opening.used()]).toEqual([TOTAL, 2]);
    let product = mass(RATES.threshold, noise);
    for (const [i, answer] of transcript.entries()) {
      const tier = QUESTIONS[i] as 'pro' | 'free';
      const added = (answer ?? truths[tier]) - truths[tier];
      /** Asks with noise for the comparison, in a copy of the ledger. */
      const ask = async (compared: number) => {
        const fork = ledger.fork();
        const random = given([
          [compared, RATES.comparison],
          [added, RATES.answer],
        ]);
        const { kind, value } = await new Streams({ ledger: fork, read, random }).ask({
          analyst: 'ann',
          apps: [],
          stream,
          where: { tier: [tier] },
        });
        expect(random.used()).toBe(2); // an easy question draws as many
        return { kind, value, fork };
      };
      let [easy, hard] = [-200, 200];
      while (hard - easy > 1) {
        const middle = Math.floor((easy + hard) / 2);
        if ((await ask(middle)).kind === 'hard') hard = middle;
        else easy = middle;
      }
      const above = tail(RATES.comparison, hard);
      product *= answer === undefined ? 1 - above : above * mass(RATES.answer, added);
      const taken = await ask(answer === undefined ? easy : hard);
      if (answer !== undefined) expect(taken.value).toBe(answer);
      ledger = taken.fork;
    }
    sum += product;
  }
  return mass(RATES.total, TOTAL - free - pro) * sum;
}

const TRANSCRIPTS: readonly Transcript[] = [
  [undefined, undefined],
  [10, undefined],
  [undefined, 33],
  [4, 40],
];

test.each(TRANSCRIPTS)('a stream that answers %j and %j is at most e^ε as probable from a neighbour', async (...transcript) => {
  const here = await probabilityOf(30, 10, transcript);
  const ratios = await Promise.all(
    [
      [29, 10],
      [30, 9],
      [31, 10],
    ].map(async ([free, pro]) => Math.log(here / (await probabilityOf(free as number, pro as number, transcript)))),
  );
  // What the noise of the threshold beyond its ends could add is far smaller than what is left to ε.
  for (const ratio of ratios) expect(Math.abs(ratio)).toBeLessThan(EPSILON);
  // The released number of records alone makes that much of a difference, or the table is not read.
  expect(Math.max(...ratios.map(Math.abs))).toBeGreaterThan(0.5 * RATES.total);
});
