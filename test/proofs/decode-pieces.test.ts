/** Proofs of the decoder's pieces, each against an enumeration, a definition or a closed form. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { intervalOf, medianOf, wholeOf } from '#collector/decoding/decode/decode.ts';
import { CUT, discoveriesOf, nullCount } from '#collector/decoding/decode/discoveries.ts';
import { residualScore } from '#collector/decoding/decode/effective.ts';
import { cumulantsOf, exactLaw, logTailAt, normalAt, nullLaw, scoreOf } from '#collector/decoding/decode/null-law.ts';
import {
  ATOM,
  count,
  emptyHistogram,
  evenTo,
  flat,
  learn,
  meanAt,
  posteriorOf,
  STRAIGHT,
  slopeAt,
} from '#collector/decoding/decode/signals.ts';
import { conditionalOn } from '#collector/estimation/statistics/selection.ts';
import { normalQuantile, normalTail } from '#collector/estimation/statistics/tails.ts';
import { uniforms } from '../kit/random.ts';

/** Σ over the distinct cells that each assignment of places hits, of a cohort with these residuals. */
function* cohortScores(g: readonly number[], hashes: number): Generator<number> {
  for (let code = 0; code < g.length ** hashes; code++) {
    const cells = new Set(Array.from({ length: hashes }, (_, h) => Math.floor(code / g.length ** h) % g.length));
    yield [...cells].reduce((sum, cell) => sum + (g[cell] as number), 0);
  }
}

/** The residuals of cohorts as a field with its empty last column, and weights of 1. */
function fieldOf(cohorts: readonly (readonly number[])[]) {
  const width = (cohorts[0] as readonly number[]).length + 1;
  const [g, weights] = [new Float64Array(cohorts.length * width), new Float64Array(cohorts.length * width)];
  for (const [c, row] of cohorts.entries()) {
    g.set(row, c * width);
    weights.fill(1, c * width, (c + 1) * width - 1);
  }
  return { g, weights, width };
}

describe('the law of a null candidate', () => {
  test.each([1, 2, 3])('has the cumulants of all assignments of %d places', (hashes) => {
    const rows = [
      [0.3, -0.1, 0.9, 0],
      [-0.5, 0.2, 0.1, 1.5],
    ];
    const { g, weights, width } = fieldOf(rows);
    const cumulantsAt = cumulantsOf(g, weights, width, hashes);
    for (const s of [-2, -0.3, 0, 0.7, 3]) {
      let [value, slope, bend] = [0, 0, 0];
      for (const row of rows) {
        let [sum, first, second, all] = [0, 0, 0, 0];
        for (const score of cohortScores(row, hashes)) {
          const e = Math.exp(s * score);
          [sum, first, second, all] = [sum + e, first + e * score, second + e * score * score, all + 1];
        }
        value += Math.log(sum / all);
        slope += first / sum;
        bend += second / sum - (first / sum) ** 2;
      }
      const [k, k1, k2] = cumulantsAt(s);
      expect(k).toBeCloseTo(value, 12);
      expect(k1).toBeCloseTo(slope, 12);
      expect(k2).toBeCloseTo(bend, 12);
    }
  });

  /** 24 cohorts of six cells, of which one is high. */
  const uniform = uniforms(5);
  const skewed = Array.from({ length: 24 }, () => {
    const row = Array.from({ length: 6 }, () => Math.round(uniform() * 128 - 64) / 128);
    row[0] = 1;
    return row;
  });
  /** 40 cohorts of 50 cells, of which few have a count: the score is a number of hits, and a little less for each cell. */
  const sparse = Array.from({ length: 40 }, (_, c) => Array.from({ length: 50 }, (_, j) => (j < c % 3 ? 1 : 0) - (c % 3) / 50));

  /** P(T >= each of its values), from the largest on, by all assignments. */
  function tailsOf(
    rows: readonly (readonly number[])[],
    hashes: number,
  ): readonly (readonly [sum: number, tail: number, chance: number])[] {
    const FINE = 2 ** 20;
    let law = new Map([[0, 1]]);
    for (const row of rows) {
      const next = new Map<number, number>();
      const scores = [...cohortScores(row, hashes)];
      for (const [sum, chance] of law)
        for (const score of scores) {
          const at = sum + Math.round(score * FINE);
          next.set(at, (next.get(at) ?? 0) + chance / scores.length);
        }
      law = next;
    }
    let tail = 0;
    return [...law]
      .sort(([a], [b]) => b - a)
      .map(([sum, chance]) => {
        tail += chance;
        return [sum / FINE, tail, chance];
      });
  }

  test.each([
    ['one hash', 1],
    ['two hashes', 2],
  ] as const)('has the tail of all assignments, skewed as it is: %s', (_name, hashes) => {
    const { g, weights, width } = fieldOf(skewed);
    const law = exactLaw(g, weights, width, hashes);
    const curve = nullLaw(cumulantsOf(g, weights, width, hashes));
    let compared = 0;
    for (const [sum, tail, chance] of tailsOf(skewed, hashes)) {
      const half = tail - chance / 2; // half of a step, which the smooth curve runs through
      if (half < 1e-7 || half > 0.4 || chance > 0.02 * tail) continue;
      compared++;
      expect(Math.abs(logTailAt(law, sum) - Math.log(tail))).toBeLessThan(0.03);
      expect(Math.abs(Math.log(normalTail(normalAt(curve, sum)) / half))).toBeLessThan(0.3);
    }
    expect(compared).toBeGreaterThan(100);
  });

  test('holds all of the probability of a score, where a few hits are all that there is', () => {
    const { g, weights, width } = fieldOf(sparse);
    const law = exactLaw(g, weights, width, 1);
    const tails = tailsOf(sparse, 1).filter(([, tail]) => tail > 1e-12 && tail < 0.999);
    expect(tails.length).toBeGreaterThan(5);
    for (const [sum, tail] of tails) {
      expect(Math.abs(logTailAt(law, sum) - Math.log(tail))).toBeLessThan(1e-6);
      // A score just above one value has the tail of the next one.
      expect(scoreOf(law, Math.log(tail) + 1e-6)).toBeLessThanOrEqual(sum + 0.02);
    }
  });

  test('of residuals that are all 0 has no tail, and no NaN', () => {
    const { g, weights, width } = fieldOf([[0, 0, 0]]);
    expect(normalAt(nullLaw(cumulantsOf(g, weights, width, 2)), 0)).toBe(0);
    expect(logTailAt(exactLaw(g, weights, width, 2), 0)).toBe(0);
  });
});

describe('discoveries', () => {
  // Spread evenly, and half of them nearer to 0. Doubles of fast-check are nearly all far below any threshold.
  const pValues = fc
    .uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 40 })
    .map((values) => values.map((p, i) => (p / 1_000_000) ** (i % 2 === 0 ? 1 : 4)));
  const nullsOf = (values: readonly number[]): number => nullCount(values.length, (most) => values.filter((p) => p <= most).length);

  test('are those of both definitions, with the estimate of null candidates', () => {
    fc.assert(
      fc.property(pValues, fc.double({ min: 0.001, max: 0.9, noNaN: true }), (values, fdr) => {
        const sorted = values.toSorted((a, b) => a - b);
        const nulls = nullsOf(values);
        const held = sorted.findLastIndex((p, i) => p <= CUT && (nulls * p) / (i + 1) <= fdr) + 1;
        const heights = [0, ...sorted.filter((p) => p <= CUT).map((p, i) => (0.5 * (i + 1)) / nulls - p)];
        const supported = heights.lastIndexOf(Math.max(...heights));
        const most = Math.min(held, supported);
        const found = discoveriesOf(Float64Array.from(values), fdr);
        expect(found.found).toBe(most);
        for (const [v, p] of values.entries()) {
          expect((found.qValues[v] as number) <= fdr).toBe(most > 0 && p <= (sorted[most - 1] as number));
        }
      }),
    );
  });

  test('are still reported up to their thresholds, whatever their own p-value is, and not above', () => {
    fc.assert(
      fc.property(pValues, fc.constantFrom(0.05, 0.2, 0.9), (values, fdr) => {
        const { thresholds, qValues } = discoveriesOf(Float64Array.from(values), fdr);
        for (const [v, threshold] of thresholds.entries()) {
          if ((qValues[v] as number) > fdr) continue;
          const isReportedAt = (p: number): boolean =>
            (discoveriesOf(Float64Array.from(values).fill(p, v, v + 1), fdr).qValues[v] as number) <= fdr;
          expect(isReportedAt(threshold * (1 - 1e-9))).toBe(true);
          if (threshold < CUT) expect(isReportedAt(threshold * (1 + 1e-9))).toBe(false);
        }
      }),
    );
  });

  // 1/2 times the mean of null candidates over their estimate, at most 1.08: 1,080 of 2,000 lists, and more than 1,185 with a probability below
  // 1e-6. At a rate of .9 the support line alone ends a list.
  test.each([
    [30, 0],
    [100, 20],
    [300, 100],
  ])('end with a string that is as often true as false: %i null candidates, %i strings', (nulls, strings) => {
    const uniform = uniforms(1_000 * nulls + strings);
    let wrong = 0;
    for (let list = 0; list < 2_000; list++) {
      const values = Float64Array.from({ length: nulls + strings }, (_, v) =>
        v < nulls ? uniform() : normalTail(8 * uniform() - normalQuantile(uniform())),
      );
      const { qValues } = discoveriesOf(values, 0.9);
      let last = -1;
      for (const [v, q] of qValues.entries()) if (q <= 0.9 && (values[v] as number) > (values[last] ?? -1)) last = v;
      wrong += Number(last >= 0 && last < nulls);
    }
    expect(wrong).toBeLessThan(1_186);
  });

  // At 5.5 %, 220 of 4,000 lists, and more than 293 with a probability below 1e-6.
  test.each([30, 100, 300])('are hardly more often wrong where nobody has any of %i candidates', (candidates) => {
    const uniform = uniforms(candidates);
    const lists = 4_000;
    let wrong = 0;
    for (let list = 0; list < lists; list++)
      wrong += Number(discoveriesOf(Float64Array.from({ length: candidates }, uniform), 0.05).found > 0);
    expect(wrong).toBeLessThan(294);
  });
});

describe('the number of null candidates', () => {
  const all = 1_000_000;
  /** P(p-value at most this), where a share is null, and θ of the others is uniform on (0, width]. */
  const below = (nulls: number, width: number) => (p: number) => {
    const z = normalQuantile(p);
    const others = Array.from({ length: 400 }, (_, i) => normalTail(z - ((i + 0.5) / 400) * width));
    return nulls * p + ((1 - nulls) * others.reduce((sum, each) => sum + each, 0)) / 400;
  };
  const found = (nulls: number, width: number): number => nullCount(all, (p) => all * below(nulls, width)(p)) / all;

  test.each([
    [0.3, 4],
    [0.7, 4],
    [0.3, 8],
    [0.7, 8],
  ])('is near the true share of %d in a long list, with strings of up to %d standard errors', (nulls, width) => {
    expect(Math.abs(found(nulls, width) - nulls)).toBeLessThan(0.04);
  });

  test.each([
    [0.3, 0.5],
    [0.7, 0.5],
    [0.3, 1],
    [0.7, 1],
  ])('lies between the true share of %d and Storey’s estimate where strings are rare, of up to %d standard errors', (nulls, width) => {
    expect(found(nulls, width)).toBeGreaterThan(nulls);
    expect(found(nulls, width)).toBeLessThan((1 - below(nulls, width)(0.5)) / 0.5);
  });

  test('is nearly that of all where nobody has any, and never larger', () => {
    expect(found(1, 1)).toBeGreaterThan(0.98);
    expect(found(1, 1)).toBeLessThanOrEqual(1);
    expect(nullCount(3, () => 0)).toBe(3);
  });

  test('does not depend on how small p-values below the cut are', () => {
    const values = [0.001, 0.1, CUT, 0.3, 0.6, 0.61, 0.99];
    const count = (of: readonly number[]): number => nullCount(of.length, (most) => of.filter((p) => p <= most).length);
    expect(count(values.map((p) => (p <= CUT ? p / 1e6 : p)))).toBe(count(values));
  });
});

describe('intervals given selection', () => {
  const thresholds = fc.double({ min: -1, max: 8, noNaN: true });

  test('have the median of the truncated normal distribution within them', () => {
    fc.assert(
      fc.property(thresholds, fc.double({ min: 0, max: 8.9, noNaN: true }), (c, more) => {
        const z = c + more;
        const { low, middle, high } = conditionalOn(z, c);
        const at = normalTail(z - middle) / normalTail(c - middle);
        if (middle > 0 && more > 1.5) expect(at).toBeCloseTo(0.5, 5);
        else expect(at).toBeGreaterThanOrEqual(0.5 - 1e-5);
        if (z > 0) expect(middle).toBeGreaterThan(0);
        expect(low).toBeLessThanOrEqual(middle);
        expect(middle).toBeLessThanOrEqual(high);
      }),
    );
  });

  test('hold each signal with 95 %, of the estimates that are large enough', () => {
    fc.assert(
      fc.property(thresholds, fc.double({ min: 1e-3, max: 12, noNaN: true }), (c, signal) => {
        // Both ends rise with z, so the estimates whose intervals hold the signal are those from one z to another.
        const first = (isPast: (z: number) => boolean): number => {
          let [from, to] = [c, Math.max(c, signal) + 10];
          if (isPast(from)) return c;
          for (let step = 0; step < 60; step++) {
            const middle = (from + to) / 2;
            if (isPast(middle)) to = middle;
            else from = middle;
          }
          return to;
        };
        const from = first((z) => conditionalOn(z, c).high >= signal);
        const to = first((z) => conditionalOn(z, c).low > signal);
        const held = (normalTail(from - signal) - normalTail(to - signal)) / normalTail(c - signal);
        expect(held).toBeCloseTo(0.95, 4);
      }),
    );
  });

  test('have as their middle just above the threshold the median of the likelihood, where that is larger', () => {
    for (const c of [2, 3, 5]) {
      const density = (theta: number): number => Math.exp(-((c - theta) ** 2) / 2) / normalTail(c - theta);
      const sum = (from: number, to: number): number =>
        Array.from({ length: 2_000 }, (_, i) => density(from + ((i + 0.5) * (to - from)) / 2_000)).reduce((all, x) => all + x, 0) *
        (to - from);
      const found = conditionalOn(c, c).middle;
      expect(Math.abs(sum(0, found) / sum(0, c + 6) - 0.5)).toBeLessThan(0.01);
    }
  });

  test('never say of a string just found that nobody has it', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 8, noNaN: true }), fc.double({ min: 0, max: 5, noNaN: true }), (c, more) => {
        expect(conditionalOn(c + more, c).high).toBeGreaterThan(c + more + 1.6);
      }),
    );
  });

  test('far above the threshold are the plain ones', () => {
    const { low, middle, high } = conditionalOn(20, 4);
    expect([low, middle, high]).toEqual([20 - normalQuantile(0.025), 20, 20 + normalQuantile(0.025)].map((x) => expect.closeTo(x, 7)));
  });

  test('meet at the clear end without a step', () => {
    const [near, far] = [conditionalOn(12.999, 4), conditionalOn(13.001, 4)];
    expect(far.low - near.low).toBeLessThan(0.01);
    expect(far.high - near.high).toBeLessThan(0.01);
  });
});

describe('intervals of counts', () => {
  /** The probability that the interval of a count with mean 3 + s holds s. */
  function coverage(s: number, ends: (estimate: number, error: number) => { readonly low: number; readonly high: number }): number {
    let [chance, held] = [Math.exp(-3 - s), 0];
    for (let count = 0; count < 200; count++) {
      const { low, high } = ends(count - 3, Math.sqrt(Math.max(count, 3)));
      if (low <= s && s <= high) held += chance;
      chance *= (3 + s) / (count + 1);
    }
    return held;
  }
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const shares = Array.from({ length: 200 }, (_, i) => 2 + i / 5);

  test('hold the truth about as often as they should, where those of a normal estimate do not', () => {
    const found = shares.map((s) => coverage(s, (estimate, error) => intervalOf(estimate, error, Math.sqrt(3), Number.NEGATIVE_INFINITY)));
    const normal = shares.map((s) =>
      coverage(s, (estimate, error) => ({ low: Math.max(0, estimate - 1.96 * error), high: Math.max(0, estimate + 1.96 * error) })),
    );
    expect(Math.abs(mean(found) - 0.95)).toBeLessThan(0.005);
    expect(mean(normal)).toBeLessThan(0.94);
  });

  test('are those of a normal estimate where its variance does not grow with the share', () => {
    for (const [estimate, least] of [
      [4, 3],
      [9, 3],
    ] as const) {
      const { low, middle, high } = conditionalOn(estimate, least);
      const found = intervalOf(estimate / 100, 0.01, 0.01, least / 100);
      expect([found.low, found.middle, found.high]).toEqual([low, middle, high].map((x) => expect.closeTo(x / 100, 9)));
    }
  });
});

describe('the learned prior', () => {
  const weights = flat(0, 0.9);
  const density = (at: Float64Array, z: number): number =>
    at.reduce((sum, weight, a) => sum + weight * Math.exp(-0.5 * (z - a * ATOM) ** 2), 0);

  test('has the posterior mean of its atoms, and that mean is slope 1 where it is certain', () => {
    const posterior = posteriorOf(weights, STRAIGHT);
    for (const z of [0.013, 1, 2.5, 4, 6.99]) {
      const mean =
        weights.reduce((sum, weight, a) => sum + weight * a * ATOM * Math.exp(-0.5 * (z - a * ATOM) ** 2), 0) / density(weights, z);
      expect(meanAt(posterior, z)).toBeCloseTo(mean, 1);
    }
    expect(meanAt(posterior, 30)).toBe(30);
    expect(slopeAt(posterior, 30)).toBe(1);
    expect(meanAt(posterior, -9)).toBe(0);
  });

  test('only gains likelihood from a step, and finds the atoms that made the data', () => {
    const uniform = uniforms(3);
    const histogram = emptyHistogram();
    const zs = Array.from({ length: 4000 }, (_, i) => (i % 4 === 0 ? 4 : 0) + normalQuantile(1 - uniform()));
    for (const z of zs) count(histogram, z);
    const likelihood = (at: Float64Array): number => zs.reduce((sum, z) => sum + Math.log(density(at, z)), 0);
    let last = weights;
    for (const steps of [1, 5, 50]) {
      const next = learn(histogram, STRAIGHT, last, steps, 0);
      expect(likelihood(next)).toBeGreaterThan(likelihood(last));
      last = next;
    }
    expect(last.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 9);
    // 1,000 of 4,000 are signals: a binomial share, and EM's error is smaller than 5 standard errors of it.
    const near = last.reduce((sum, weight, a) => sum + (a * ATOM > 2 ? weight : 0), 0);
    expect(Math.abs(near - 0.25)).toBeLessThan(5 * Math.sqrt((0.25 * 0.75) / 4000));
  });

  test('has a median of 0 for what is most likely null, and of z for what is not', () => {
    expect(medianOf(weights, 0)).toBe(0);
    expect(Math.abs(medianOf(weights, 7) - 7)).toBeLessThan(0.3);
    const least = Array.from({ length: 700 }, (_, i) => medianOf(weights, i / 100));
    expect(least.every((x, i) => i === 0 || x >= (least[i - 1] as number))).toBe(true);
  });
});

describe('the whole distribution', () => {
  const uniform = uniforms(29);
  const truth = Float64Array.from({ length: 200 }, (_, v) => (v < 100 ? 0.02 * Math.exp(-v / 25) : 0));
  const error = 0.002;
  const estimates = truth.map((share) => share + error * normalQuantile(1 - uniform()));
  const { distribution, other } = wholeOf(
    estimates,
    estimates.map(() => error),
  );

  test('adds up to 1 with what is left, and leaves certain estimates as they are', () => {
    expect(distribution.reduce((sum, share) => sum + share, other)).toBeCloseTo(1, 12);
    const certain = [...estimates.keys()].filter((v) => (estimates[v] as number) >= 7.5 * error);
    expect(certain.length).toBeGreaterThan(5);
    for (const v of certain) expect(distribution[v]).toBe(estimates[v]);
  });

  test('is drawn to no larger shares by those beyond the last atom', () => {
    const strong = Float64Array.from({ length: 40 }, (_, v) => error * (v < 20 ? 6.8 + v / 50 : 30));
    const { distribution: found } = wholeOf(
      strong.map((share) => share / 10),
      strong.map(() => error / 10),
    );
    for (let v = 0; v < 20; v++) expect(Math.abs((found[v] as number) - (strong[v] as number) / 10)).toBeLessThan((0.5 * error) / 10);
  });

  test('is nearer to the truth than the estimates are', () => {
    const distance = (shares: Float64Array): number =>
      shares.reduce((sum, share, v) => sum + Math.abs(share - (truth[v] as number)), 0) / 2;
    expect(distance(distribution)).toBeLessThan(0.9 * distance(estimates.map((estimate) => Math.max(0, estimate))));
  });

  test('takes laws that are even up to a width', () => {
    const law = evenTo(2);
    expect(law.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect([...law.keys()].filter((a) => (law[a] as number) > 0).map((a) => a * ATOM)).toEqual([0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]);
  });
});

describe('the score of residuals', () => {
  const uniform = uniforms(11);
  const normal = (): number => normalQuantile(1 - uniform());

  test('of a normal law is that of the law', () => {
    const values = Float64Array.from({ length: 3000 }, normal);
    const { start, score } = residualScore(
      values,
      values.map(() => 1),
    );
    for (const x of [-1.5, -0.5, 0, 0.5, 1.5]) expect(Math.abs((score[Math.round((x - start) / 0.25)] as number) - x)).toBeLessThan(0.4);
  });

  test('of a law with rare jumps passes over them', () => {
    const values = Float64Array.from({ length: 3000 }, (_, i) => normal() + (i % 30 === 0 ? 12 : 0));
    const { start, score } = residualScore(
      values,
      values.map(() => 1),
    );
    expect(Math.abs(score[Math.round((12 - start) / 0.25)] as number)).toBeLessThan(0.5);
    expect(score[Math.round((2 - start) / 0.25)] as number).toBeGreaterThan(1);
  });
});

test('the normal tail and its quantile are inverse, and symmetric', () => {
  for (const z of [-4, -0.5, 0, 1, 5, 20]) expect(normalQuantile(normalTail(z))).toBeCloseTo(z, 4);
  expect(normalTail(1.959963984540054)).toBeCloseTo(0.025, 14);
  expect(normalTail(-6) + normalTail(6)).toBeCloseTo(1, 14);
});
