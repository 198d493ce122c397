/** Permute-and-flip and quantiles: the exact law of the shipped code, ε over all small neighbours, utility and frequencies. */

import { seededRng, words } from '@murmuration/client/testing';
import { type Ratio, ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { permuteAndFlip, quantile, rankScores } from '#collector/release/mechanisms/permute-and-flip.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { range } from '../../../proofs/channel.ts';
import { multinomial, upperTail } from '../../../proofs/statistics.ts';
import { exactLaw } from './branches.ts';
import { approximately, type ExponentialSum, equal, none } from './exponential-sums.ts';
import { expectWithin, vectors } from './neighbours.ts';
import { exactSelection, selectionLaw } from './selection.ts';

const FALSE_ALARM = 1e-6;

describe('permute-and-flip', () => {
  test('has the stated law, exactly', () => {
    for (const scores of [[0], [0, 0], [3, 1], [0, 1, 2], [2, 2, 0, 1]]) {
      const { release } = permuteAndFlip({ epsilon: ratio(2n, 3n), sensitivity: 1, candidates: scores.length });
      const { outputs } = exactLaw((random) => release(scores, random));
      exactSelection(scores, 1, 3).forEach((chance, r) => {
        expect(equal(outputs.get(String(r)) ?? none, chance), `P(${r}) of ${scores}`).toBe(true);
      });
    }
  });

  test.each([
    [false, 1, ratio(1n, 1n)],
    [false, 2, ratio(1n, 2n)],
    [true, 1, ratio(1n, 1n)],
    [true, 2, ratio(3n, 2n)],
  ] as const)('spends at most ε on all neighbours: monotone %s, Δ = %d', (monotone, sensitivity, epsilon) => {
    const { release } = permuteAndFlip({ epsilon, sensitivity, candidates: 3, monotone });
    const lawOf = (scores: readonly number[]) => exactLaw((random) => release(scores, random)).outputs;
    const steps = vectors(3, monotone ? range(sensitivity + 1) : range(2 * sensitivity + 1).map((i) => i - sensitivity));
    const bases = [
      [0, 0, 0],
      [2, 1, 0],
      [0, 3, 3],
    ];
    let nearest = 0;
    for (const base of bases) {
      const first = lawOf(base);
      for (const step of steps) {
        const second = lawOf(base.map((score, i) => score + (step[i] as number)));
        nearest = Math.max(nearest, expectWithin(first, second, epsilon), expectWithin(second, first, epsilon));
      }
    }
    // Not far from ε either, so that a law of half the noise would fail.
    expect(nearest).toBeGreaterThan(0.5);
  });

  test('would spend more than ε if scores that move against each other were taken for monotone', () => {
    const { release } = permuteAndFlip({ epsilon: ratio(1n, 1n), sensitivity: 1, candidates: 2, monotone: true });
    const lawOf = (scores: readonly number[]) => exactLaw((random) => release(scores, random)).outputs;
    expect(() => expectWithin(lawOf([3, 2]), lawOf([2, 3]), ratio(1n, 1n))).toThrow('the probability of 0');
  });

  test('has the frequencies of the law, and of the integral', () => {
    const scores = [10, 9, 9, 7, 4, 0];
    const draws = 100_000;
    const chances = [...selectionLaw(scores, 1 / 4)];
    exactSelection(scores, 1, 4).forEach((chance, r) => {
      expect(Math.abs(approximately(chance) / (chances[r] as number) - 1)).toBeLessThan(1e-6);
    });
    const { release } = permuteAndFlip({ epsilon: ratio(1n, 2n), sensitivity: 1, candidates: scores.length });
    const random = createRandom(words(seededRng(11)));
    const counts = scores.map(() => 0);
    for (let i = 0; i < draws; i++) {
      const r = release(scores, random);
      counts[r] = (counts[r] as number) + 1;
    }
    expect(upperTail(multinomial(counts, chances, draws))).toBeGreaterThan(FALSE_ALARM);
  });

  test('is never farther from the best than the exponential mechanism, and within its bound', () => {
    for (const scores of [[5, 0, 0, 0, 0, 0, 0, 0], range(20), range(50).map((i) => Math.floor(i / 10))]) {
      const rate = 1 / 3;
      const best = Math.max(...scores);
      const law = selectionLaw(scores, rate);
      const weights = scores.map((score) => Math.exp(rate * (score - best)));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const { accuracy } = permuteAndFlip({ epsilon: ratio(2n, 3n), sensitivity: 1, candidates: scores.length });
      const beyond = (chances: ArrayLike<number>, gap: number): number =>
        scores.reduce((sum, score, r) => sum + (best - score > gap ? (chances[r] as number) : 0), 0);
      for (const gap of range(best + 1)) {
        expect(beyond(law, gap)).toBeLessThanOrEqual(
          beyond(
            weights.map((weight) => weight / total),
            gap,
          ) *
            (1 + 1e-9),
        );
      }
      for (const beta of [0.5, 0.1, 0.01]) expect(beyond(law, accuracy(beta))).toBeLessThanOrEqual(beta);
    }
  });

  test('refuses scores that are no whole numbers, and other numbers of candidates', () => {
    const { release } = permuteAndFlip({ epsilon: ratio(1n, 1n), sensitivity: 1, candidates: 2 });
    const random = createRandom(words(seededRng(1)));
    for (const scores of [[1], [1, 0.5], [1, Number.NaN], [1, 2, 3]])
      expect(() => release(scores, random)).toThrow(/^permute-and-flip: (the number of scores|a score): expected/);
    expect(() => permuteAndFlip({ epsilon: ratio(1n, 1n), sensitivity: 1, candidates: 0 })).toThrow(
      'permute-and-flip: candidates: expected',
    );
  });
});

describe('a quantile', () => {
  test('scores cells by the error of their rank', () => {
    // Values 0, 2, 2, 3: the median lies between the second and the third, both 2.
    expect(rankScores([1, 0, 2, 1], 1, 2).map((score) => score + 0)).toEqual([-2, -2, 0, -2]);
    expect(rankScores([0, 0, 0], 1, 2).map((score) => score + 0)).toEqual([0, 0, 0]);
  });

  const lawOf = (mechanism: ReturnType<typeof quantile>, counts: readonly number[]): ReadonlyMap<string, ExponentialSum> =>
    exactLaw((random) => mechanism.release(counts, random)).outputs;

  test.each([ratio(1n, 2n), ratio(9n, 10n), ratio(1n, 4n)])('spends at most ε where a value is added: %o', (of) => {
    const epsilon: Ratio = ratio(1n, 1n);
    const mechanism = quantile({ epsilon, cells: 3, quantile: of, sensitivity: 1 });
    for (const counts of vectors(3, [0, 1, 3])) {
      const law = lawOf(mechanism, counts);
      for (const cell of range(3)) {
        const more = lawOf(mechanism, counts.with(cell, (counts[cell] as number) + 1));
        expectWithin(law, more, epsilon);
        expectWithin(more, law, epsilon);
      }
    }
  });

  test('spends at most ε where a value is replaced', () => {
    const epsilon: Ratio = ratio(1n, 1n);
    const mechanism = quantile({ epsilon, cells: 3, quantile: ratio(1n, 2n), sensitivity: 1, replaced: true });
    for (const counts of vectors(3, [1, 2])) {
      const law = lawOf(mechanism, counts);
      for (const from of range(3)) {
        for (const to of range(3)) {
          const less = counts.with(from, (counts[from] as number) - 1);
          expectWithin(law, lawOf(mechanism, less.with(to, (less[to] as number) + 1)), epsilon);
        }
      }
    }
  });

  test('refuses what is no quantile', () => {
    for (const bad of [ratio(1n, 1n), ratio(3n, 2n)]) {
      expect(() => quantile({ epsilon: ratio(1n, 1n), cells: 3, quantile: bad, sensitivity: 1 })).toThrow(
        /^quantile: the quantile's (numerator|denominator): expected/,
      );
    }
  });
});
