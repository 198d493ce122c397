/** The median mechanism and private multiplicative weights: ε of a session by enumeration, what is hard, and that guesses learn. */

import { seededRng, words } from '@murmuration/client/testing';
import { type Ratio, ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { type Interactive, interactive } from '#collector/release/mechanisms/interactive.ts';
import { medianMechanism } from '#collector/release/mechanisms/median-mechanism.ts';
import { privateWeights } from '#collector/release/mechanisms/private-weights.ts';
import type { CountingQuery, Measurement } from '#collector/release/mechanisms/queries.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { range } from '../../../proofs/channel.ts';
import { multinomial, upperTail } from '../../../proofs/statistics.ts';

const FALSE_ALARM = 1e-6;
const [LEAST, MOST] = [-400, 400];

/** P(Z = z) of rate `rate`. */
const mass = (rate: number, z: number): number => ((1 - Math.exp(-rate)) / (1 + Math.exp(-rate))) * Math.exp(-rate * Math.abs(z));

/** P(Z >= z). */
const tail = (rate: number, z: number): number => {
  const a = Math.exp(-rate);
  return z > 0 ? a ** z / (1 + a) : 1 - a ** (1 - z) / (1 + a);
};

/** Rates of a session with ε and c hard queries, by the definition in interactive.ts. */
function ratesOf(epsilon: number, hard: number) {
  const weight = Math.round(100 * (2 * hard) ** (2 / 3));
  return {
    threshold: (2 * epsilon * 100) / (3 * (100 + weight)),
    comparison: (2 * epsilon * weight) / (3 * (100 + weight)) / (2 * hard),
    answer: epsilon / (3 * hard),
  };
}

/** The probability that queries with these errors are hard (with an answer so far from the truth), or easy (undefined). */
function transcript(epsilon: number, hard: number, threshold: number, errors: readonly number[], answers: readonly (number | undefined)[]) {
  const rates = ratesOf(epsilon, hard);
  let sum = 0;
  for (let r = LEAST; r <= MOST; r++) {
    let product = mass(rates.threshold, r);
    answers.forEach((answer, i) => {
      const above = tail(rates.comparison, threshold + r - (errors[i] as number));
      product *= answer === undefined ? 1 - above : above * mass(rates.answer, answer);
    });
    sum += product;
  }
  return sum;
}

describe('a session', () => {
  test('spends at most ε on neighbours, for every transcript of a few queries', () => {
    const epsilon = 2;
    for (const hard of [1, 2]) {
      const { threshold, comparison } = ratesOf(epsilon, hard);
      // The sum over R leaves out less than this part of any transcript: beyond its ends the terms fall as the thresholds' law does.
      expect(Math.exp(-threshold * MOST) * Math.exp(comparison * 40)).toBeLessThan(1e-9);
      const patterns: readonly (readonly (number | undefined)[])[] = [
        [undefined],
        [0],
        [undefined, undefined, undefined, undefined],
        [undefined, undefined, 0],
        [undefined, 3],
        ...(hard === 2
          ? [
              [0, 0],
              [undefined, 0, undefined, -2],
            ]
          : []),
      ];
      for (const pattern of patterns) {
        for (const errors of [
          [0, 0, 0, 0],
          [5, 5, 5, 5],
          [9, 2, 12, 4],
        ]) {
          for (const moved of range(3 ** pattern.length)) {
            const shift = pattern.map((_, i) => (Math.floor(moved / 3 ** i) % 3) - 1);
            // The truth moves by the shift, so an answer's noise moves against it. The error moves by at most as much, either way.
            for (const direction of [1, -1]) {
              const other = errors.map((error, i) => Math.abs(error + direction * (shift[i] ?? 0)));
              const noise = pattern.map((answer, i) => (answer === undefined ? undefined : answer - (shift[i] as number)));
              const [p, q] = [transcript(epsilon, hard, 6, errors, pattern), transcript(epsilon, hard, 6, other, noise)];
              expect(Math.abs(Math.log(p / q))).toBeLessThan(epsilon);
            }
          }
        }
      }
    }
  });

  test('decides and answers with the frequencies of that law', () => {
    const options = { epsilon: ratio(2n, 1n), sensitivity: 1, cells: 1, queries: 1, hard: 1, gap: () => 2 };
    const guesses = { guess: () => 0, learned: () => guesses };
    const mechanism = interactive({ ...options, name: 'test', guesses });
    const random = createRandom(words(seededRng(21)));
    const truth = 24;
    const draws = 40_000;
    const counts = new Map<number | undefined, number>();
    // T as the session has it: a session's threshold minus its noise, whose median is 0.
    const thresholds = range(2001).map(() => mechanism.open(random).threshold);
    const threshold = thresholds.sort((a, b) => a - b)[1000] as number;
    for (let i = 0; i < draws; i++) {
      const { answer, hard } = mechanism.ask(mechanism.open(random), [0], [truth], random);
      const key = hard ? Math.max(-3, Math.min(3, answer - truth)) : undefined;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const { answer: rate } = ratesOf(2, 1);
    const easy = transcript(2, 1, threshold, [truth], [undefined]);
    const keys = [-3, -2, -1, 0, 1, 2, 3];
    const chances = keys.map((z) => (1 - easy) * (Math.abs(z) === 3 ? tail(rate, 3) : mass(rate, z)));
    const found = [undefined, ...keys].map((key) => counts.get(key) ?? 0);
    expect(easy).toBeGreaterThan(0.05);
    expect(easy).toBeLessThan(0.95);
    expect(upperTail(multinomial(found, [easy, ...chances], draws))).toBeGreaterThan(FALSE_ALARM);
  });
});

const epsilon: Ratio = ratio(1n, 1n);
const CELLS = 6;
const TOTAL = 10_000_000;
const counts = [7_000_000, 2_000_000, 600_000, 300_000, 100_000, 0];
/** Runs of cells, again and again. */
const queries: readonly CountingQuery[] = range(60).map((i) => range(1 + (i % 4)).map((j) => (i % 3) + j));

const options = { epsilon, sensitivity: 1, cells: CELLS, total: TOTAL, queries: queries.length };

test.each<readonly [string, Interactive]>([
  ['the median mechanism', medianMechanism({ ...options, records: 12, hard: 20 })],
  ['private multiplicative weights', privateWeights({ ...options, hard: 25 })],
  ['private multiplicative weights whose session lasts', privateWeights(options)],
])('%s answers more queries than it has hard ones, all within its bound', (_, mechanism) => {
  expect(mechanism.epsilon).toEqual(epsilon);
  const random = createRandom(words(seededRng(4)));
  let session = mechanism.open(random);
  let [worst, hard] = [0, 0];
  const answered: Measurement[] = [];
  for (const query of queries) {
    if (session.left === 0) break;
    const asked = mechanism.ask(session, query, counts, random);
    session = asked.session;
    if (asked.hard) answered.push({ query, value: asked.answer });
    hard += Number(asked.hard);
    worst = Math.max(worst, Math.abs(asked.answer - query.reduce((sum, cell) => sum + (counts[cell] as number), 0)));
  }
  expect(hard).toBeGreaterThan(0);
  expect(hard).toBeLessThan(queries.length / 2);
  expect(session.left).toBe(mechanism.hard - hard);
  expect(worst).toBeLessThanOrEqual(mechanism.accuracy(0.05));
  expect(() => mechanism.accuracy(0.01)).toThrow(/^(median mechanism|private multiplicative weights): expected a probability/);
  const resumed = mechanism.resume(session.threshold, answered);
  expect([resumed.left, resumed.threshold]).toEqual([session.left, session.threshold]);
  for (const query of queries) expect(resumed.guesses.guess(query)).toBe(session.guesses.guess(query));
});

test('a design whose stated error is not below the number of records is refused, and what else can be done is said', () => {
  for (const make of [privateWeights, medianMechanism]) {
    expect(() => make({ ...options, total: 1000 })).toThrow('or name `hard`, the number of hard queries');
  }
});

test('a session without hard queries left, unknown cells and too many databases are refused', () => {
  const mechanism = privateWeights({ epsilon, sensitivity: 1, cells: CELLS, total: TOTAL, queries: 3, hard: 1 });
  const random = createRandom(words(seededRng(4)));
  const session = mechanism.open(random);
  expect(() => mechanism.ask({ ...session, left: 0 }, [0], counts, random)).toThrow('hard queries left');
  for (const query of [[], [6], [1, 1], [2, 1], [0.5]])
    expect(() => mechanism.ask(session, query, counts, random)).toThrow(/^query: (the number of cells|cell \d \(cells ascend\)): expected/);
  expect(() => mechanism.ask(session, [0], [1, 2], random)).toThrow('table: the number of cells: expected');
  expect(() => medianMechanism({ epsilon, sensitivity: 1, cells: 1_000_001, total: 10, queries: 1 })).toThrow(
    'expected at most 1000000 of them, got 1000001 with 1000001 cells and 1 records; use privateWeights instead',
  );
});
