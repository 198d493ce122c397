/**
 * Tests the total number of ones. A bit vector has h bits of the answer, which are 1 with probability p, and k - h others, which are 1 with
 * probability q. So the ones of n reports have mean n (h p + (k-h) q) and variance n (h p(1-p) + (k-h) q(1-q)), exactly and whatever the
 * answers are. This tests that shares sum to 1, cohort by cohort. When hashes of a string may collide, h is anything from 1 to their
 * number.
 */

import { type BitStages, bitSupport, type DBitFlipLaw, drawnSupport } from '@murmuration/shared';
import type { Tallies } from '../tally.ts';
import { pooled, type Squares, sumsOf } from './fit.ts';

/** The mean and variance of one report's number of ones. */
interface Ones {
  readonly least: number;
  readonly most: number;
  readonly variance: number;
}

function onesOf(stages: BitStages, k: number, hashes: number): Ones {
  const { p, q } = bitSupport(stages);
  const mean = (h: number): number => h * p + (k - h) * q;
  const variance = (h: number): number => h * p * (1 - p) + (k - h) * q * (1 - q);
  return { least: mean(1), most: mean(hashes), variance: Math.max(variance(1), variance(hashes)) };
}

/** The sum of values. */
const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** Tests the ones of each cohort, with neighbours pooled, for k bits and this many hashes. */
export function totalsFit(stages: BitStages, k: number, hashes: number, tallies: Tallies, perDevice: number): Squares | undefined {
  const { least, most, variance } = onesOf(stages, k, hashes);
  const cohorts = [...tallies].sort(([a], [b]) => a - b).map(([, tally]) => tally);
  const variances = cohorts.map(({ reports }) => reports * variance);
  const classes = pooled(variances, perDevice);
  const reports = sumsOf(
    cohorts.map((tally) => tally.reports),
    classes,
  );
  const ones = sumsOf(
    cohorts.map(({ cells }) => sum(cells)),
    classes,
  );
  const statistic = sum(
    ones.map((count, i) => {
      const n = reports[i] as number;
      return Math.max(0, count - n * most, n * least - count) ** 2 / (n * variance * perDevice);
    }),
  );
  return ones.length === 0 ? undefined : { statistic, degrees: ones.length };
}

/*
 * Tests the total number of ones of dBitFlip, and the consistency of its offsets on the ring. A report has d of k bits. The answer's bit is among them
 * with probability d/k, which adds (d/k)(1 - d/k)(p-q)² to the variance of its ones. All offsets must also agree about each
 * bucket: R = C - n_c q has the same mean at each of the d offsets that ask about it. With f the bucket's share, each of n reports adds, 1/k
 * of the time, (1-f) q(1-q) + f (p(1-p) + (p-q)²) to its variance.
 */

/** Tests the ones of all reports, and the offsets of each bucket. */
export function ringFit(law: DBitFlipLaw, tallies: Tallies, perDevice: number): Squares | undefined {
  const { size, bits } = law;
  const { p, q } = drawnSupport(law);
  const drawn = bits / size;
  const reports = sum([...tallies.values()].map((tally) => tally.reports));
  const ones = sum([...tallies.values()].map(({ cells }) => sum(cells)));
  const mean = reports * (bits * q + drawn * (p - q));
  const variance = bits * q * (1 - q) + drawn * (p * (1 - p) - q * (1 - q)) + drawn * (1 - drawn) * (p - q) ** 2;
  if (pooled([reports * variance], perDevice).length === 0) return undefined;
  let [statistic, degrees] = [(ones - mean) ** 2 / (reports * variance), 1];
  for (let bucket = 0; bucket < size && bits < size; bucket++) {
    const excess = Array.from({ length: bits }, (_, bit) => {
      const tally = tallies.get((bucket - bit + size) % size);
      return tally === undefined ? 0 : (tally.cells[bit] as number) - tally.reports * q;
    });
    const one = reports / size; // the expected number of reports at an offset
    const share = Math.min(1, Math.max(0, sum(excess) / (bits * one * (p - q))));
    const spread = one * ((1 - share) * q * (1 - q) + share * (p * (1 - p) + (p - q) ** 2));
    const classes = pooled(
      excess.map(() => spread),
      perDevice,
    );
    const [found, counts] = [
      sumsOf(excess, classes),
      sumsOf(
        excess.map(() => 1),
        classes,
      ),
    ];
    const each = sum(found) / bits;
    statistic += sum(found.map((value, i) => (value - (counts[i] as number) * each) ** 2 / ((counts[i] as number) * spread)));
    degrees += Math.max(0, found.length - 1);
  }
  return { statistic: statistic / perDevice, degrees };
}
