/** Proofs of dBitFlip and of the one bit of a number: what an epoch reveals, whatever is recorded in it, and their estimators. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import {
  type DBitFlipLaw,
  dBitFlip,
  dBitFlipLaw,
  MODULUS,
  type OneBitLaw,
  oneBit,
  oneBitLaw,
  oneBitSupport,
  ringOf,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { respondBits } from '#client/randomizers/bits.ts';
import { randomizeDBitFlip } from '#client/randomizers/d-bit-flip.ts';
import { respondKAry } from '#client/randomizers/k-ary.ts';
import { randomizeOneBit } from '#client/randomizers/one-bit.ts';
import { dBitFlipEstimates, drawnVariance } from '#collector/estimation/mechanisms/d-bit-flip.ts';
import { oneBitEstimates, oneBitScores } from '#collector/estimation/mechanisms/one-bit.ts';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';
import { dBitFlip as specimen } from '../conformance/specimens/d-bit-flip.ts';
import { EFFORT } from '../setup/effort.ts';
import { EPSILONS, expectHeld, PERMANENT } from './asked.ts';
import { compose, distribution, indexReport, kAryRow, largestRatio, range } from './channel.ts';
import { exactDistribution } from './enumerate.ts';
import { historiesOf } from './histories.ts';
import { add, less, multiply, type Rational, rational } from './rational.ts';
import { binomial, upperTail } from './statistics.ts';
import { type Stages, transcripts } from './transcripts.ts';

const said = (law: DBitFlipLaw, symbol: string) => dBitFlip.decode(law, Uint8Array.from(Buffer.from(symbol, 'hex')));

const stagesOf = (law: DBitFlipLaw): Stages => ({
  symbols: range(law.size).map((value) => specimen.row(law, value, MODULUS)),
  reports: (symbol) => specimen.again?.(law, said(law, symbol), MODULUS) ?? new Map(),
});

describe('a permanent histogram by dBitFlip', () => {
  test.each([
    [3, 1, 1, 2],
    [3, 2, 1, 2],
    [2, 2, 1, 4],
  ])(
    'of %i buckets, %i bits, loses at most ε∞ over all pairs of histories, and depends on the first value alone',
    (size, bits, epsilon, permanent) => {
      const law = dBitFlipLaw(size, bits, epsilon, permanent);
      const stages = stagesOf(law);
      const odds = dBitFlip.odds(law);
      const histories = historiesOf(size, 2);
      const rows = histories.map((history) => transcripts(stages, history));
      const loss = largestRatio(rows);
      expect(less(odds.report, loss)).toBe(true);
      expect(less(odds.permanent as Rational, loss)).toBe(false);
      for (const [i, history] of histories.entries()) {
        expect(rows[i]).toEqual(transcripts(stages, [history[0] as number, history[0] as number]));
      }
    },
  );
});

describe('a permanent mean of one bit', () => {
  /** A number of eighths between the ends of the range, rounded at random, is a mixture of their rows. */
  const stages = (law: OneBitLaw): Stages => ({
    symbols: range(3).map((halves) => {
      const [low, high] = [0, 1].map((end) => kAryRow(2, law.truth, MODULUS, end));
      const part = (row: typeof low, share: Rational) => [...(row ?? [])].map(([report, p]) => [report, multiply(p, share)] as const);
      return distribution([...part(low, rational(2 - halves, 2)), ...part(high, rational(halves, 2))]);
    }),
    reports: (symbol) => kAryRow(2, law.irr?.truth ?? 0, MODULUS, Number.parseInt(symbol, 16)),
  });

  test.each(PERMANENT)('at ε₁ = %d, ε∞ = %d, loses at most ε∞ over all pairs of histories of numbers', (epsilon, permanent) => {
    const law = oneBitLaw(epsilon, permanent);
    oneBit.validate(law);
    const { report, permanent: epoch } = oneBit.odds(law);
    expectHeld(report, epsilon);
    expectHeld(epoch as Rational, permanent);
    const loss = largestRatio(historiesOf(3, 2).map((history) => transcripts(stages(law), history)));
    expect(less(epoch as Rational, loss)).toBe(false);
    expect(largestRatio(historiesOf(3, 1).map((history) => transcripts(stages(law), history)))).toEqual(report);
  });

  test('rounds a number up in just the part of all coins that its place is', () => {
    const law: OneBitLaw = { mechanism: 'one-bit', size: 2, truth: 11, irr: { truth: 16 } };
    for (const sixteenths of range(17)) {
      const [low, high] = [kAryRow(2, 11, 16, 0), kAryRow(2, 11, 16, 1)];
      const expected = distribution(
        ['00', '01'].map((report) => [
          report,
          add(
            multiply(low.get(report) as Rational, rational(16 - sixteenths, 16)),
            multiply(high.get(report) as Rational, rational(sixteenths, 16)),
          ),
        ]),
      );
      expect(exactDistribution((coins) => randomizeOneBit(law, sixteenths / 16, coins, 16), 16)).toEqual(expected);
    }
    expect(compose(kAryRow(2, 11, 16, 0), (symbol) => new Map([[symbol, rational(1)]])).get(indexReport(0, 2))).toEqual(rational(11, 16));
  });

  test('has the worst-case variance of Duchi’s bit at ε₁, whatever ε∞ is', () => {
    for (const epsilon of [0.5, 1, 2]) {
      const e = Math.exp(epsilon);
      for (const permanent of [epsilon + 0.5, 4, 8]) {
        expect(oneBitScores(oneBitLaw(epsilon, permanent)).worst / (((e + 1) / (e - 1)) ** 2 / 4)).toBeCloseTo(1, 6);
      }
    }
  });
});

describe.each(EPSILONS)('dBitFlip at ε = %d', (epsilon) => {
  test.each([
    [2, 1],
    [8, 3],
    [300, 9],
    [16, 16],
  ])('of %i buckets, %i bits, spends at most what was asked, and at least 0.9 of it', (size, bits) => {
    const law = dBitFlipLaw(size, bits, epsilon);
    dBitFlip.validate(law);
    expectHeld(dBitFlip.odds(law).report, epsilon);
    expect(ringOf(law)).toBe(bits < size ? size : 1);
  });
});

test('bits beyond the buckets are refused', () => {
  for (const bits of [0, 5, 1.5, Number.NaN]) expect(() => dBitFlipLaw(4, bits, 1), String(bits)).toThrow(RangeError);
});

test.each([
  [dBitFlipLaw(12, 1, 1, 2), 4],
  [dBitFlipLaw(6, 6, 1, 3), 2],
] as const)('estimates of %o, %i reports a device, are unbiased, err as stated and cover', (law, perDevice) => {
  const coins = createCoins(words(seededRng(16)));
  const [devices, rounds] = [400, 150 * EFFORT];
  const share = 0.3;
  let [covered, statistic] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const folder = new Accumulator(dBitFlip.shape(law));
    const own = round % law.size;
    let drawn = 0;
    for (let i = 0; i < devices; i++) {
      const symbol = randomizeDBitFlip(law, i < share * devices ? own : (own + 1 + (i % (law.size - 1))) % law.size, coins);
      const { cohort } = dBitFlip.decode(law, symbol);
      if ((own - cohort + law.size) % law.size < law.bits) drawn += perDevice;
      for (let day = 0; day < perDevice; day++) folder.addReport(law.irr ? respondBits(law, symbol, coins) : symbol);
    }
    const row = dBitFlipEstimates(law, { tallies: folder.tallies(), perDevice, candidates: [] })[own];
    const { estimate = 0, low = 1, high = 0 } = row ?? {};
    const { constant, slope, curve } = drawnVariance(law, drawn, devices * perDevice, perDevice);
    statistic += (estimate - share) ** 2 / (constant + slope * share - curve * share * share);
    covered += Number(low <= share && share <= high);
  }
  const tail = upperTail({ statistic, degrees: rounds });
  expect(Math.min(tail, 1 - tail)).toBeGreaterThan(1e-6);
  expect(upperTail(binomial(covered, 0.95, rounds))).toBeGreaterThan(1e-6);
});

test('a bucket that no report is about has an interval that says nothing', () => {
  const law = dBitFlipLaw(5, 1, 1);
  const [, row] = dBitFlipEstimates(law, {
    tallies: new Map([[0, { reports: 3, cells: Float64Array.of(1) }]]),
    perDevice: 1,
    candidates: [],
  });
  expect(row?.estimate).toBe(0.5);
  expect((row?.low as number) < 0 && (row?.high as number) > 1).toBe(true);
});

test.each([1, 5])('the mean of one bit, %i reports a device, is unbiased, errs as stated and covers', (perDevice) => {
  const law = oneBitLaw(1, 3);
  const coins = createCoins(words(seededRng(17)));
  const [devices, rounds] = [300, 150 * EFFORT];
  const noise = (stage?: 'permanent'): number => {
    const { p, q } = oneBitSupport(law, stage);
    return (q * (1 - q)) / (p - q) ** 2;
  };
  const variance = (noise() + (perDevice - 1) * noise('permanent') + perDevice * 0.3 * 0.7) / (devices * perDevice);
  let [covered, statistic] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const cells = new Float64Array(2);
    for (let i = 0; i < devices; i++) {
      const symbol = randomizeOneBit(law, 0.3, coins);
      for (let day = 0; day < perDevice; day++) {
        const [cell] = oneBit.decode(law, respondKAry({ ...law, mechanism: 'k-ary' }, symbol, coins)).cells;
        cells[cell as number] = (cells[cell as number] as number) + 1;
      }
    }
    const tallies = new Map([[0, { reports: devices * perDevice, cells }]]);
    const [row] = oneBitEstimates(law, { tallies, perDevice, candidates: [] });
    const { estimate = 0, low = 1, high = 0 } = row ?? {};
    statistic += (estimate - 0.3) ** 2 / variance;
    covered += Number(low <= 0.3 && 0.3 <= high);
  }
  const tail = upperTail({ statistic, degrees: rounds });
  expect(Math.min(tail, 1 - tail)).toBeGreaterThan(1e-6);
  expect(upperTail(binomial(covered, 0.95, rounds))).toBeGreaterThan(1e-6);
});
