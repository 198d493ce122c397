/**
 * Tests the total number of ones. A bit vector has h bits of the answer, which are 1 with probability p, and k - h others, which are 1 with
 * probability q. So the ones of n reports have mean n (h p + (k-h) q) and variance n (h p(1-p) + (k-h) q(1-q)), exactly and whatever the
 * answers are. This tests that shares sum to 1, cohort by cohort. When hashes of a string may collide, h is anything from 1 to their
 * number.
 */

import { type BitStages, bitSupport, type DBitFlipLaw, drawnSupport } from '@murmuration/shared';
import { reportsIn, type Tallies } from '../tally.ts';
import { outside } from './bounds.ts';
import { pooled, type Squares, sumsOf } from './fit.ts';

/** The least and the most that one report's number of ones may have as its mean. */
function onesOf(stages: BitStages, k: number, hashes: number): { readonly least: number; readonly most: number } {
  const { p, q } = bitSupport(stages);
  const mean = (h: number): number => h * p + (k - h) * q;
  return { least: mean(1), most: mean(hashes) };
}

/** The sum of values. */
const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/**
 * Tests the ones of each cohort and of all together, for k bits and this many hashes. The n k bits are independent given the answers, so
 * Hoeffding's bound (1963, theorem 1) for their mean holds; it is short of the exact tail only where p and q differ much in few bits.
 */
export function totalsPValue(stages: BitStages, k: number, hashes: number, tallies: Tallies, perDevice: number): number | undefined {
  const mean = onesOf(stages, k, hashes);
  const shares = { q: mean.least / k, p: mean.most / k };
  const boundOf = (reports: number, ones: number): number => ((reports * k) / perDevice) * outside(ones / (reports * k), shares);
  const cohorts = [...tallies.values()].filter(({ reports }) => reports > 0).map(({ reports, cells }) => ({ reports, ones: sum(cells) }));
  if (cohorts.length === 0) return undefined;
  const most = Math.max(...cohorts.map(({ reports, ones }) => boundOf(reports, ones)));
  const all = boundOf(reportsIn(tallies), sum(cohorts.map(({ ones }) => ones)));
  return Math.min(1, 4 * cohorts.length * Math.exp(-most), 4 * Math.exp(-all));
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
