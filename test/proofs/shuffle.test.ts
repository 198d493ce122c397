/** Proofs of the shuffle accountant: its bounds against whole shuffles, against one another, and against published numbers. */

import {
  amplification,
  closedForm,
  composedEpsilon,
  countMeanSketchLaw,
  dBitFlipLaw,
  hadamardLaw,
  type KAryLaw,
  kAryLaw,
  type Law,
  localHashingLaw,
  MODULUS,
  permanentKAryLaw,
  privSetLaw,
  projectiveLaw,
  type RapporLaw,
  rapporLaw,
  subsetLaw,
  symmetricUnaryLaw,
  unaryLaw,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { hadamard } from '../conformance/specimens/hadamard.ts';
import { localHashing } from '../conformance/specimens/local-hashing.ts';
import { privset } from '../conformance/specimens/privset.ts';
import { projective } from '../conformance/specimens/projective.ts';
import type { Specimen } from '../conformance/specimens/specimen.ts';
import { bitsRow, kAryRow, range, subsetRow } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { rational } from './rational.ts';

type Row = readonly number[];

/** Rows of a channel as numbers, over the same outputs. */
function matrix(rows: readonly Distribution[]): readonly Row[] {
  const outputs = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const numberOf = (row: Distribution, output: string): number => {
    const found = row.get(output);
    return found === undefined ? 0 : Number(found.numerator) / Number(found.denominator);
  };
  return rows.map((row) => outputs.map((output) => numberOf(row, output)));
}

/** The distribution of the histogram of reports, one for each row. */
function histograms(rows: readonly Row[]): ReadonlyMap<string, number> {
  let found = new Map<string, number>([[(rows[0] as Row).map(() => 0).join(), 1]]);
  for (const row of rows) {
    const next = new Map<string, number>();
    for (const [key, mass] of found) {
      const counts = key.split(',').map(Number);
      row.forEach((probability, output) => {
        const to = counts.with(output, (counts[output] as number) + 1).join();
        next.set(to, (next.get(to) ?? 0) + mass * probability);
      });
    }
    found = next;
  }
  return found;
}

/** All multisets of so many of the first answers. */
const multisets = (answers: number, many: number): readonly (readonly number[])[] =>
  many === 0 ? [[]] : range(answers).flatMap((last) => multisets(last + 1, many - 1).map((rest) => [...rest, last]));

/** The exact δ(ε) of n shuffled reports: the worst over both answers of one device and all answers of the others. */
function shuffled(rows: readonly Row[], n: number): (epsilon: number) => number {
  const tables = multisets(rows.length, n - 1).map((others) => rows.map((row) => histograms([row, ...others.map((i) => rows[i] as Row)])));
  return (epsilon) => {
    let most = 0;
    for (const table of tables)
      for (const first of table)
        for (const second of table) {
          let delta = 0;
          for (const [key, mass] of first) delta += Math.max(0, mass - Math.exp(epsilon) * (second.get(key) ?? 0));
          most = Math.max(most, delta);
        }
    return most;
  };
}

/** A law and the rows of its answers. */
const specimenRows = <L extends Law & { readonly size: number }>({ row }: Specimen<L>, law: L): readonly [Law, readonly Distribution[]] => [
  law,
  range(law.size).map((answer) => row(law, answer, MODULUS)),
];

const rowsOf: { readonly [name: string]: readonly [law: Law, rows: readonly Distribution[]] } = {
  'two answers': ((law: KAryLaw) => [law, range(2).map((i) => kAryRow(2, law.truth, MODULUS, i))] as const)(kAryLaw(2, 1)),
  'three answers': ((law: KAryLaw) => [law, range(3).map((i) => kAryRow(3, law.truth, MODULUS, i))] as const)(kAryLaw(3, 1.5)),
  subsets: ((law) => [law, range(4).map((i) => subsetRow(4, 2, law.include, MODULUS, i))] as const)(subsetLaw(4, 2, 2)),
  bits: ((law) => [law, range(3).map((i) => bitsRow(3, rational(law.one, MODULUS), rational(law.zero, MODULUS), [i]))] as const)(
    unaryLaw(3, 2),
  ),
  'Hadamard response on one line': specimenRows(hadamard, hadamardLaw(3, 1, 2)),
  'Hadamard response': specimenRows(hadamard, hadamardLaw(4, 1, 2)),
  'local hashing': specimenRows(localHashing, localHashingLaw(5, 1, undefined, 3)),
  'local hashing into two buckets': specimenRows(localHashing, localHashingLaw(4, 2, undefined, 2)),
  'sets of one answer': ((law) => [law, range(law.size + 1).map((answer) => privset.row(law, answer, MODULUS))] as const)(
    privSetLaw(4, 1, 2, 1),
  ),
  'projective response on one line': specimenRows(projective, projectiveLaw(3, 2, 2)),
  'projective response': specimenRows(projective, projectiveLaw(4, 1.5, 2)),
  'symmetric bits': ((law) =>
    [law, range(3).map((i) => bitsRow(3, rational(law.one, MODULUS), rational(law.zero, MODULUS), [i]))] as const)(symmetricUnaryLaw(3, 1)),
};

describe.each(Object.entries(rowsOf))('%s, shuffled', (_, [law, channel]) => {
  const rows = matrix(channel);

  test.each([2, 4])('are bounded from both sides, over all answers of %i devices', (n) => {
    const exact = shuffled(rows, n);
    const { above, epsilon, leastEpsilon, local } = amplification(law, n);
    for (const share of [0, 0.3, 0.7, 0.95]) {
      const delta = exact(share * local);
      expect(above(share * local)).toBeGreaterThanOrEqual(delta);
      if (delta > 1e-9) expect(leastEpsilon?.(delta)).toBeLessThanOrEqual(share * local + 1e-9);
      if (delta > 1e-9) expect(epsilon(delta)).toBeGreaterThanOrEqual(share * local - 1e-9);
    }
  });
});

test('two answers are exact: δ is that of the worst composition, for up to 2,048 devices', () => {
  const [law, channel] = rowsOf['two answers'] as (typeof rowsOf)[string];
  const exact = shuffled(matrix(channel), 12);
  const { above, local } = amplification(law, 12);
  for (const share of [0, 0.2, 0.4, 0.7]) expect(above(share * local) / exact(share * local)).toBeCloseTo(1, 6);
});

test('reports of one device alone have their local ε, and no law more than that', () => {
  for (const law of [kAryLaw(2, 1), kAryLaw(5, 2), unaryLaw(8, 3), dBitFlipLaw(8, 4, 1)]) {
    const { local, above, epsilon } = amplification(law, 1);
    expect(epsilon(1e-9)).toBeGreaterThan(0.99 * local);
    expect(epsilon(1e-9)).toBeLessThanOrEqual(local);
    expect(above(local)).toBe(0);
  }
});

// The bounds that github.com/apple/ml-shuffling-amplification computes for any law of ε₀ (Feldman, McMillan, Talwar 2022, §5), by its steps.
test.each([
  [1000, 1, 1e-6, 0.1824099, 0.1902471],
  [10_000, 1, 1e-6, 0.0529703, 0.0549688],
  [10_000, 2, 1e-6, 0.1547721, 0.1591879],
  [10_000, 3, 1e-6, 0.3199515, 0.3339741],
  [100_000, 4, 1e-6, 0.1693071, 0.1728849],
  [100_000, 3, 1e-9, 0.129978, 0.1309763],
])('any law of %i devices at ε %d lies between published bounds', (n, local, delta, low, high) => {
  const epsilon = amplification(dBitFlipLaw(8, 4, local), n).epsilon(delta);
  expect(epsilon).toBeGreaterThan(low);
  expect(epsilon).toBeLessThan(high);
});

test('the closed form is that of the theorem where it is valid, and the local ε elsewhere', () => {
  expect(closedForm(4, 100_000, 1e-8)).toBeCloseTo(0.591, 3);
  expect(closedForm(4, 10_000, 1e-8)).toBe(4);
});

/** δ(ε) of m responses of two answers, none of them shuffled: Kairouz, Oh, Viswanath 2015, theorem 3, from the binomial of flips. */
function together(local: number, m: number, epsilon: number): number {
  const p = Math.exp(local) / (1 + Math.exp(local));
  let [delta, ways] = [0, 1];
  for (let flips = 0; flips <= m; flips++) {
    const [first, second] = [p ** (m - flips) * (1 - p) ** flips, p ** flips * (1 - p) ** (m - flips)];
    delta += ways * Math.max(0, first - Math.exp(epsilon) * second);
    ways = (ways * (m - flips)) / (flips + 1);
  }
  return delta;
}

test.each([1, 2, 10, 40])('%i reports that nothing hides compose as they are known to, at most 2 % worse', (times) => {
  const alone = amplification(kAryLaw(2, 0.5), 1);
  for (const epsilon of [0.3, 0.6, 0.9].map((share) => share * 0.5 * Math.min(times, 3 * Math.sqrt(times)))) {
    const delta = together(alone.local, times, epsilon);
    const composed = composedEpsilon([{ amplification: alone, times }], delta);
    expect(composed).toBeGreaterThanOrEqual(epsilon * (1 - 1e-9));
    expect(composed).toBeLessThan(epsilon * 1.02);
  }
});

test('groups of unequal size compose, and cost more than the larger and less than their sum', () => {
  const [flag, list] = [amplification(kAryLaw(2, 1), 5_000), amplification(kAryLaw(16, 1), 20_000)];
  const both = composedEpsilon(
    [
      { amplification: flag, times: 7 },
      { amplification: list, times: 1 },
    ],
    1e-8,
  );
  const week = composedEpsilon([{ amplification: flag, times: 7 }], 1e-8);
  expect(both).toBeGreaterThan(week);
  expect(both).toBeLessThan(week + list.epsilon(1e-8));
});

test.each([1, 2, 3])('filters of %i hashes are bounded, also of strings whose hashes meet', (hashes) => {
  const law: RapporLaw = { mechanism: 'rappor', bits: 2 * hashes, hashes, cohorts: 1, one: MODULUS / 2, zero: MODULUS / 8 };
  const [one, zero] = [rational(1, 2), rational(1, 8)];
  const filters = [range(hashes), range(hashes).map((bit) => bit + hashes), [0], range(hashes).map((bit) => bit + 1)];
  const exact = shuffled(matrix(filters.map((filter) => bitsRow(law.bits, one, zero, filter))), 2);
  const { above, local } = amplification(law, 2);
  for (const share of [0, 0.2, 0.5, 0.9]) expect(above(share * local)).toBeGreaterThanOrEqual(exact(share * local));
});

test('a bound is never above that of a report alone, and ends for each law, δ and number of devices', () => {
  const rare: KAryLaw = { mechanism: 'k-ary', size: 3, truth: MODULUS - 1 };
  for (const law of [rare, kAryLaw(2, 1), kAryLaw(16, 8), dBitFlipLaw(8, 4, 8), unaryLaw(64, 8)])
    for (const n of [1, 3, 100]) {
      const { above, epsilon, local } = amplification(law, n);
      for (const share of [0, 0.5, 0.99]) expect(above(share * local)).toBeLessThanOrEqual(together(local, 1, share * local) * (1 + 1e-9));
      for (const delta of [1e-16, 0.5]) expect(epsilon(delta)).toBeLessThanOrEqual(local);
    }
  const flag = { amplification: amplification(kAryLaw(2, 1), 1000), times: 30 };
  expect(composedEpsilon([flag], 1e-12)).toBeLessThanOrEqual(30 * flag.amplification.local);
  expect(composedEpsilon([{ amplification: amplification(kAryLaw(16, 0.05), 1_000_000), times: 1 }], 0.1)).toBeLessThan(0.01);
});

test('no lower bound is said where answers are hashed and may meet', () => {
  for (const law of [countMeanSketchLaw(9, 2, undefined, 3), rapporLaw(2, 100_000)])
    expect(amplification(law, 3).leastEpsilon).toBeUndefined();
});

test('the law of a permanent metric is refused, and so is a number of devices that is none', () => {
  expect(() => amplification(permanentKAryLaw(2, 1, 2), 1000)).toThrow(
    'shuffle: expected the law of single reports, got a permanent k-ary: only ε∞ bounds its epoch',
  );
  expect(() => amplification(kAryLaw(2, 1), 0)).toThrow('shuffle: n: expected a whole number from 1');
});
