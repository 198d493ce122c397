/**
 * Tests the total number of ones of dBitFlip, and the consistency of its offsets on the ring. A report has d of k bits. The answer's bit is among them
 * with probability d/k, which adds (d/k)(1 - d/k)(p-q)² to the variance of its ones (totals.ts). All offsets must also agree about each
 * bucket: R = C - n_c q has the same mean at each of the d offsets that ask about it. With f the bucket's share, each of n reports adds, 1/k
 * of the time, (1-f) q(1-q) + f (p(1-p) + (p-q)²) to its variance.
 */

import { type DBitFlipLaw, drawnSupport } from '@murmuration/shared';
import type { Tallies } from '../tally.ts';
import { pooled, type Squares, sumsOf } from './classes.ts';
import { sum } from './totals.ts';

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
