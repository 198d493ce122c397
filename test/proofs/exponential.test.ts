/** Proofs of the exponential mechanism: the law of many tables at every ε, its utility, its inverse, its intervals. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type ExponentialLaw, exponential, exponentialLaw, kAryLaw, MODULUS } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeExponential } from '#client/randomizers/exponential.ts';
import { exponentialEstimates, exponentialVariance, inverseOf } from '#collector/estimation/mechanisms/exponential.ts';
import { shortfallOf } from '#collector/estimation/questions.ts';
import { exponentialRow } from '../conformance/specimens/exponential.ts';
import { EFFORT } from '../setup/effort.ts';
import { EPSILONS, expectHeld } from './asked.ts';
import { largestRatio, range } from './channel.ts';
import { ONE, sum, toNumber } from './rational.ts';
import { binomial, upperTail } from './statistics.ts';

/** Tables of utilities: rows are inputs. */
const TABLES: readonly (readonly (readonly number[])[])[] = [
  [
    [1, 0],
    [0, 1],
  ],
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  range(4).map((i) => range(5).map((j) => -Math.abs(i - j))),
  [
    [3, 2, 0, -1],
    [0, 2, 2.5, 1],
  ],
  [
    [10, 0, 0, 5],
    [0, 10, 0, 5],
    [0, 0, 10, 5],
  ],
];

const cells = TABLES.flatMap((utility) => EPSILONS.map((epsilon) => [utility, epsilon] as const));
const rowsOf = (law: ExponentialLaw) => range(law.weights.length).map((input) => exponentialRow(law, input, MODULUS));
const sensitivityOf = (utility: readonly (readonly number[])[]): number =>
  Math.max(
    ...range(utility[0]?.length ?? 0).map(
      (j) => Math.max(...utility.map((row) => row[j] as number)) - Math.min(...utility.map((row) => row[j] as number)),
    ),
  );

const held = (utility: readonly (readonly number[])[], epsilon: number): ExponentialLaw | undefined => {
  try {
    return exponentialLaw(utility, epsilon);
  } catch {
    return undefined;
  }
};

describe.each(cells)('utilities %j at ε = %d', (utility, epsilon) => {
  const law = held(utility, epsilon);

  test('have rows that sum to 1, and the stated odds, as large as ε allows, as their largest ratio', () => {
    if (law === undefined) return expect(epsilon).toBe(16);
    exponential.validate(law);
    const rows = rowsOf(law);
    for (const row of rows) expect(sum(row.values())).toEqual(ONE);
    const { report } = exponential.odds(law);
    expect(report).toEqual(largestRatio(rows));
    expectHeld(report, epsilon);
    if (epsilon <= 8) expect(Math.log(toNumber(report)) / epsilon).toBeGreaterThan(0.9999);
  });

  test('give no less utility than the theorem’s scale: P(loss >= (2Δ/ε)(ln K + t)) <= e^-t for every input', () => {
    if (law === undefined) return;
    const scale = epsilon / (2 * sensitivityOf(utility));
    for (const [i, row] of utility.entries()) {
      const best = Math.max(...row);
      for (const t of range(60).map((tenth) => tenth / 10)) {
        const bound = (Math.log(row.length) + t) / scale;
        const worse = row.reduce((total, score, j) => (best - score >= bound ? total + (law.weights[i]?.[j] as number) : total), 0);
        expect(worse / MODULUS).toBeLessThanOrEqual(Math.exp(-t));
      }
      const of = (score: number): number => law.weights[i]?.[row.indexOf(score)] as number;
      expect(of(best) / of(Math.min(...row)) / Math.exp(scale * (best - Math.min(...row)))).toBeGreaterThan(1 - 1e-4);
    }
  });

  test('have a loss that nineteen outcomes in twenty stay within, and no smaller one', () => {
    if (law === undefined) return;
    const loss = shortfallOf({ utility, law } as Parameters<typeof shortfallOf>[0], 0.05);
    const beyond = (least: number): number =>
      Math.max(
        ...utility.map((row, i) =>
          row.reduce((total, score, j) => (Math.max(...row) - score > least ? total + (law.weights[i]?.[j] as number) : total), 0),
        ),
      );
    expect(beyond(loss) / MODULUS).toBeLessThanOrEqual(0.05);
    if (loss > 0) expect(beyond(loss - 1e-9) / MODULUS).toBeGreaterThan(0.05);
  });

  test('have an inverse without bias, of the stated variance', () => {
    if (law === undefined) return;
    const { left, squares } = inverseOf(law);
    law.weights.forEach((row, x) => {
      range(law.weights.length).forEach((i) => {
        const mean = row.reduce((total, weight, j) => total + (weight / MODULUS) * left.get(i, j), 0);
        const square = row.reduce((total, weight, j) => total + (weight / MODULUS) * left.get(i, j) ** 2, 0);
        expect(mean).toBeCloseTo(Number(i === x), 6);
        expect(square / squares.get(i, x)).toBeCloseTo(1, 9);
      });
    });
    // Gauss and Markov: with the mean outcome's chances as weights, each row of the inverse is made of rows of the matrix.
    const inputs = range(law.weights.length);
    const outcomes = range(law.weights[0]?.length ?? 0);
    const chance = (x: number, j: number): number => (law.weights[x]?.[j] as number) / MODULUS;
    const mean = outcomes.map((j) => inputs.reduce((total, x) => total + chance(x, j), 0) / inputs.length);
    for (const i of inputs) {
      const made = inputs.map((x) => outcomes.reduce((total, j) => total + left.get(i, j) * left.get(x, j) * (mean[j] as number), 0));
      for (const j of outcomes) {
        const of = inputs.reduce((total, x) => total + (made[x] as number) * chance(x, j), 0);
        expect(Math.abs(of - left.get(i, j) * (mean[j] as number)) / Math.max(...made.map(Math.abs))).toBeLessThan(1e-6);
      }
    }
  });
});

test.each([0.5, 1, 4])('intervals at ε = %d cover, and errors are as large as stated', (epsilon) => {
  const coins = createCoins(words(seededRng(8)));
  const [reports, rounds] = [400, 150 * EFFORT];
  for (const utility of [TABLES[2], TABLES[4]] as const) {
    const law = exponentialLaw(utility as number[][], epsilon);
    for (const share of [0, 0.1, 0.6]) {
      let [covered, statistic] = [0, 0];
      const { squares } = inverseOf(law);
      const inputs = law.weights.length;
      for (let round = 0; round < rounds; round++) {
        const own = round % inputs;
        const counts = new Float64Array(law.weights[0]?.length ?? 0);
        const given = range(reports).map((i) => (i < share * reports ? own : (own + 1 + (i % (inputs - 1))) % inputs));
        for (const input of given) {
          const [cell] = exponential.decode(law, randomizeExponential(law, input, coins)).cells;
          counts[cell as number] = (counts[cell as number] as number) + 1;
        }
        const row = exponentialEstimates(law, { tallies: new Map([[0, { reports, cells: counts }]]), perDevice: 1, candidates: [] })[own];
        const { low = 1, high = 0, estimate = 0 } = row ?? {};
        covered += Number(low <= share && share <= high);
        statistic += (estimate - share) ** 2 / ((given.reduce((total, x) => total + squares.get(own, x), 0) / reports - share) / reports);
      }
      expect(upperTail(binomial(covered, 0.95, rounds)) > 1e-6 || covered / rounds > 0.95).toBe(true);
      const tail = upperTail({ statistic, degrees: rounds });
      expect(Math.min(tail, 1 - tail)).toBeGreaterThan(1e-6);
    }
  }
});

test('the utility of one’s own answer is k-ary response, by half the ε that the theorem would spend', () => {
  for (const epsilon of [0.5, 1, 2, 4]) {
    const { weights } = exponentialLaw(TABLES[1] as number[][], epsilon);
    expect(kAryLaw(3, epsilon).truth - (weights[0]?.[0] as number)).toBeLessThan(8);
    expect(exponentialVariance({ mechanism: 'exponential', weights }, 0.01)).toBeGreaterThan(0);
  }
});

test('tables that say nothing, or more than 32 bits hold, and integers that are no law, are refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 1e300])
    expect(() => exponentialLaw(TABLES[1] as number[][], epsilon), String(epsilon)).toThrow(RangeError);
  for (const same of [
    [
      [1, 2],
      [1, 2],
    ],
    [
      [1, 2],
      [3, 4],
    ],
    [
      [0, 0],
      [0, 0],
    ],
  ])
    expect(() => exponentialLaw(same, 1), JSON.stringify(same)).toThrow(RangeError);
  const half = MODULUS / 2;
  for (const wrong of [
    [],
    [[half, half]],
    [[half, half], [half]],
    [
      [half, half],
      [half, half - 1],
    ],
    [
      [MODULUS, 0],
      [half, half],
    ],
    [
      [half + 0.5, half - 0.5],
      [half, half],
    ],
    'ab',
  ]) {
    expect(() => exponential.validate({ mechanism: 'exponential', weights: wrong as number[][] }), JSON.stringify(wrong)).toThrow(
      RangeError,
    );
  }
});

test('inputs whose shares no outcomes can tell are refused', () => {
  expect(() =>
    inverseOf(
      exponentialLaw(
        [
          [0, 1],
          [1, 0],
          [1, 1],
        ],
        1,
      ),
    ),
  ).toThrow('expected utilities that tell 3 inputs apart, got 2 outcomes');
  expect(() =>
    inverseOf(
      exponentialLaw(
        [
          [0, 1, 0],
          [0, 1, 0],
          [1, 0, 0],
        ],
        1,
      ),
    ),
  ).toThrow('linearly dependent');
});
