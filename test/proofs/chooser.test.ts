/** Proofs of chooser 1, against all subset sizes there are: the least mean variance, or the shortest report near it. */

import { type KAryLaw, kAryLaw, listLaw, meanVariance, type SubsetLaw, subset, subsetIdeal, subsetLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { EPSILONS } from './asked.ts';
import { kAryRow, range, subsetRow } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { cellChances, statedVariance, supportOf } from './estimator.ts';
import { add, divide, multiply, ONE, type Rational, rational, relativeError, subtract, sum, ZERO } from './rational.ts';

const MODULUS = 2 ** 32;

/** A law of a list: m answers a report, its mean variance, and its bytes. */
interface Candidate {
  readonly m: number;
  readonly variance: number;
  readonly bytes: number;
}

/** Subsets of 1 are k-ary response. */
const candidates = (size: number, epsilon: number): readonly Candidate[] =>
  range(size - 1).map((i) => ({
    m: i + 1,
    variance: meanVariance(size, subsetIdeal(size, i + 1, epsilon)),
    bytes: i === 0 ? (size <= 256 ? 1 : 2) : Math.ceil(size / 8),
  }));

const chosen = (law: KAryLaw | SubsetLaw): number => (law.mechanism === 'k-ary' ? 1 : law.subset);

describe.each([...EPSILONS, 0.1, 3, 5])('at ε = %d the chooser', (epsilon) => {
  test('takes the least mean variance of all subset sizes, up to 3 % for a shorter report, for lists of 2 to 200', () => {
    for (let size = 2; size <= 200; size++) {
      const all = candidates(size, epsilon);
      const least = all.reduce((a, b) => (b.variance < a.variance ? b : a));
      const near = all.filter(({ variance }) => variance <= 1.03 * least.variance);
      const bytes = Math.min(...near.map((candidate) => candidate.bytes));
      const best = near.filter((candidate) => candidate.bytes === bytes).reduce((a, b) => (b.variance < a.variance ? b : a));
      const law = listLaw(size, epsilon);
      const taken = all[chosen(law) - 1] as Candidate;
      expect(taken.bytes, `${size} answers`).toBe(best.bytes);
      // Two sizes on either side of the best real one may tie up to rounding.
      expect(taken.variance / best.variance, `${size} answers`).toBeLessThan(1 + 1e-12);
      expect(law).toEqual(taken.m === 1 ? kAryLaw(size, epsilon) : subsetLaw(size, taken.m, epsilon));
    }
  });

  test('takes k-ary response for two answers', () => {
    expect(listLaw(2, epsilon)).toEqual(kAryLaw(2, epsilon));
  });
});

test('the best subset size is beside d / (e^ε + 1), for every list of 2 to 200', () => {
  for (const epsilon of EPSILONS) {
    for (let size = 2; size <= 200; size++) {
      const all = candidates(size, epsilon);
      const least = Math.min(...all.map(({ variance }) => variance));
      const beside = Math.max(1, Math.floor(size / (Math.exp(epsilon) + 1)));
      const found = Math.min(...all.filter(({ m }) => m === beside || m === beside + 1).map(({ variance }) => variance));
      expect(found / least, `${size} answers at ${epsilon}`).toBeLessThan(1 + 1e-12);
    }
  }
});

describe('the mean variance that the chooser compares', () => {
  /** What integers may cost against the real ε: at 16 the chance of another answer is a few hundred of 2^32. */
  const rounding = (epsilon: number): number => (epsilon > 8 ? 0.01 : 1e-5);

  /** The mean over cells of the variance of one report's estimate, from the channel, of a skewed population. */
  function ofChannel(rows: readonly Distribution[], cellsOf: (report: string) => readonly number[]): Rational {
    const size = rows.length;
    const chances = rows.map((row) => cellChances(row, cellsOf, size));
    const { p, q } = supportOf(chances);
    const total = rational(size * (size + 1));
    const shares = range(size).map((answer) => divide(rational(2 * (answer + 1)), total));
    expect(sum(shares)).toEqual(ONE);
    const gain = multiply(subtract(p, q), subtract(p, q));
    const noise = range(size).map((cell) =>
      range(size).reduce((all, answer) => {
        const chance = chances[answer]?.[cell] as Rational;
        return add(all, multiply(shares[answer] as Rational, multiply(chance, subtract(ONE, chance))));
      }, ZERO),
    );
    const stated = sum(shares.map((share) => statedVariance(p, q, share, ONE)));
    expect(divide(sum(noise), gain)).toEqual(stated);
    return divide(sum(noise), multiply(gain, rational(size)));
  }

  test.each([2, 3, 4, 5, 6])('is that of the channels over %i answers, whatever the population', (size) => {
    for (const epsilon of EPSILONS) {
      const { truth } = kAryLaw(size, epsilon);
      const rows = range(size).map((answer) => kAryRow(size, truth, MODULUS, answer));
      const exact = ofChannel(rows, (report) => [Number.parseInt(report, 16)]);
      expect(relativeError(meanVariance(size, { p: truth / MODULUS, q: (1 - truth / MODULUS) / (size - 1) }), exact)).toBeLessThan(1e-9);
      expect(relativeError(meanVariance(size, subsetIdeal(size, 1, epsilon)), exact)).toBeLessThan(rounding(epsilon));
      for (const m of range(size).filter((i) => i >= 2)) {
        const law = subsetLaw(size, m, epsilon);
        const sets = range(size).map((answer) => subsetRow(size, m, law.include, MODULUS, answer));
        const variance = ofChannel(sets, (report) => subset.decode(law, Uint8Array.from(Buffer.from(report, 'hex'))).cells);
        expect(relativeError(meanVariance(size, subset.support(law)), variance)).toBeLessThan(1e-9);
        expect(relativeError(meanVariance(size, subsetIdeal(size, m, epsilon)), variance)).toBeLessThan(rounding(epsilon));
      }
    }
  });
});
