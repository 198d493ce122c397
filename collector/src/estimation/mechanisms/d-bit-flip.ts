/**
 * The shares of buckets from dBitFlip (Ding, Kulkarni, Yekhanin 2017, §3.2). Each is estimated from the reports about that bucket. The
 * paper divides by nd/k, the average number of such reports, and so adds the variance of their number. Here the number is known.
 * Let there be n reports, T from each device. D of them are about the bucket, and C of these have a 1. With v₁ and v∞ the variances of
 * pure.ts for a report's bit and the stored bit, the estimate has variance (v₁ + (T - 1) v∞) / D. Drawing D / T devices from n / T without
 * replacement adds f (1-f) T (n - D) / (D (n - T)).
 */

import { type DBitFlipLaw, dBitFlipLaw, drawnSupport } from '@murmuration/shared';
import type { EstimateInput } from '../estimate.ts';
import { type Estimate, scored, spreadOverPeople, THESE, type Variance } from '../estimate.ts';
import type { ListEstimation } from '../estimation.ts';
import { pureList, rangeVariance } from '../pure.ts';
import type { Tallies } from '../tally.ts';
import { addSupports, reportsIn } from '../tally.ts';
import { boundsOfSupport, leverageOfSupport } from '../watch/bounds.ts';
import { bySquares } from '../watch/fit.ts';
import { ringFit } from '../watch/ones.ts';

/** constant + slope f - curve f²: the variance of a share f when this many of all reports are about it. */
export function drawnVariance(law: DBitFlipLaw, drawn: number, reports: number, perDevice: number): Variance {
  const { constant, slope } = rangeVariance(drawnSupport(law), drawnSupport(law, 'permanent'), drawn, perDevice);
  const curve = reports > perDevice ? (perDevice * (reports - drawn)) / (drawn * (reports - perDevice)) : 0;
  return { constant, slope: slope + curve, curve };
}

/** The number of reports about a bucket. */
const drawnIn = ({ size, bits }: DBitFlipLaw, tallies: Tallies, bucket: number): number =>
  [...tallies].reduce((drawn, [offset, { reports }]) => drawn + ((bucket - offset + size) % size < bits ? reports : 0), 0);

/** The estimates of the buckets, in order. A bucket without any report gets one half, with the error of a report that says nothing. */
export function dBitFlipEstimates(law: DBitFlipLaw, { tallies, perDevice, people = THESE }: EstimateInput): Estimate[] {
  if (tallies.size === 0) return [];
  const { p, q } = drawnSupport(law);
  const reports = reportsIn(tallies);
  return Array.from(addSupports(law, tallies), (ones, bucket) => {
    const drawn = drawnIn(law, tallies, bucket);
    const variance = drawnVariance(law, Math.max(1, drawn), reports, perDevice);
    return scored(drawn === 0 ? 0.5 : (ones / drawn - q) / (p - q), spreadOverPeople(variance, people));
  });
}

/** The variance of a share, from the coins and from the choice of the devices that are asked about it. */
function varianceAt(law: DBitFlipLaw, drawn: number, reports: number, perDevice: number, share: number): number {
  const { constant, slope, curve } = drawnVariance(law, drawn, reports, perDevice);
  return constant + slope * share - curve * share * share;
}

export const dBitFlip: ListEstimation<DBitFlipLaw> = {
  ...pureList<DBitFlipLaw>(),
  named: ({ size, bits }, { permanent }) => [(e) => dBitFlipLaw(size, bits, e, permanent)],
  estimates: dBitFlipEstimates,
  noiseAt: (law, reports, share) => varianceAt(law, (reports * law.bits) / law.size, reports, 1, share),
  theory: (law, tallies, truth, perDevice) => {
    const reports = reportsIn(tallies);
    const each = truth.map((share, bucket) => varianceAt(law, Math.max(1, drawnIn(law, tallies, bucket)), reports, perDevice, share));
    return each.reduce((sum, variance) => sum + variance, 0) / each.length;
  },
  bounds: (law) => boundsOfSupport(drawnSupport(law)),
  fit: bySquares(ringFit),
  leverage: (law) => leverageOfSupport(drawnSupport(law), law.bits / law.size),
  simulated: [
    {
      of: 'list',
      name: 'd-bit-flip',
      law: (answers, epsilon, permanent, bits) => dBitFlipLaw(answers, bits, epsilon, permanent),
      client: 'dBitFlip',
      isPermanent: true,
      takesBits: true,
    },
  ],
};
