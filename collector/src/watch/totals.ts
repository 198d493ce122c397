/**
 * The number of ones in all. A bit vector has h bits of the answer's, 1 with probability p, and k - h others, 1 with q: the ones
 * of n reports have mean n (h p + (k-h) q) and variance n (h p(1-p) + (k-h) q(1-q)), exactly and whatever the answers are. So
 * shares must sum to 1, cohort by cohort. Where hashes of a string may meet, h is anything from 1 to their number.
 *
 * dBitFlip: a report has d of k bits, the answer's among them with probability d/k, which adds (d/k)(1 - d/k)(p-q)². And of each
 * bucket all places must say the same: R = C - n_c q at each of the d places that ask about it has the same mean, and with f
 * the bucket's share each of n reports adds, 1/k of the time, (1-f) q(1-q) + f (p(1-p) + (p-q)²) to its variance.
 */

import { bitSupport, type CountMeanSketchLaw, type DBitFlipLaw, drawnSupport, type RapporLaw, type UnaryLaw } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import { pooled, type Squares, sumsOf } from './classes.ts';

/** Means and variance of one report's number of ones. */
interface Ones {
  readonly least: number;
  readonly most: number;
  readonly variance: number;
}

function onesOf(law: UnaryLaw | RapporLaw | CountMeanSketchLaw): Ones {
  const { p, q } = bitSupport(law);
  const k = law.mechanism === 'unary' ? law.size : law.bits;
  const hashes = law.mechanism === 'rappor' ? law.hashes : 1;
  const mean = (h: number): number => h * p + (k - h) * q;
  const variance = (h: number): number => h * p * (1 - p) + (k - h) * q * (1 - q);
  return { least: mean(1), most: mean(hashes), variance: Math.max(variance(1), variance(hashes)) };
}

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** The ones of each cohort, neighbours pooled. */
export function totalsFit(law: UnaryLaw | RapporLaw | CountMeanSketchLaw, tallies: Tallies, perDevice: number): Squares | undefined {
  const { least, most, variance } = onesOf(law);
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

/** The ones of all reports, and the places of each bucket. */
export function placesFit(law: DBitFlipLaw, tallies: Tallies, perDevice: number): Squares | undefined {
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
    const one = reports / size; // expected at a place
    const share = Math.min(1, Math.max(0, sum(excess) / (bits * one * (p - q))));
    const spread = one * ((1 - share) * q * (1 - q) + share * (p * (1 - p) + (p - q) ** 2));
    const classes = pooled(
      excess.map(() => spread),
      perDevice,
    );
    const [found, places] = [
      sumsOf(excess, classes),
      sumsOf(
        excess.map(() => 1),
        classes,
      ),
    ];
    const each = sum(found) / bits;
    statistic += sum(found.map((value, i) => (value - (places[i] as number) * each) ** 2 / ((places[i] as number) * spread)));
    degrees += Math.max(0, found.length - 1);
  }
  return { statistic: statistic / perDevice, degrees };
}
