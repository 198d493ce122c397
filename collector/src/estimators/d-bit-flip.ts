/**
 * The shares of buckets from dBitFlip (Ding, Kulkarni, Yekhanin 2017, §3.2), each from the reports that are about it. The
 * paper divides by nd/k, how many these are on average, and so adds the variance of their number; here it is known.
 * Of n reports, T of each device, D are about the bucket, C of them with a 1. With v₁ and v∞ the variances of pure.ts of a
 * report's and of the stored bit, the estimate's is (v₁ + (T - 1) v∞) / D, and that of the D / T devices, drawn from
 * n / T without replacement: f (1-f) T (n - D) / (D (n - T)).
 */

import { type DBitFlipLaw, drawnSupport } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import { type Estimate, scored, type Variance } from './estimate.ts';
import type { Question } from './estimator.ts';
import { spreadOverPeople, THESE } from './people.ts';
import { rangeVariance } from './pure.ts';
import { supportsOf } from './supports.ts';

/** constant + slope f - curve f², the variance of a share f from so many of all reports. */
export function drawnVariance(law: DBitFlipLaw, drawn: number, reports: number, perDevice: number): Variance {
  const { constant, slope } = rangeVariance(drawnSupport(law), drawnSupport(law, 'permanent'), drawn, perDevice);
  const curve = reports > perDevice ? (perDevice * (reports - drawn)) / (drawn * (reports - perDevice)) : 0;
  return { constant, slope: slope + curve, curve };
}

/** How many reports are about a bucket. */
export const drawnIn = ({ size, bits }: DBitFlipLaw, tallies: Tallies, bucket: number): number =>
  [...tallies].reduce((drawn, [place, { reports }]) => drawn + ((bucket - place + size) % size < bits ? reports : 0), 0);

/** The estimates of the buckets, in their order. One that no report is about is as one half by a report that says nothing. */
export function dBitFlipEstimates(law: DBitFlipLaw, { tallies, perDevice, people = THESE }: Question): Estimate[] {
  if (tallies.size === 0) return [];
  const { p, q } = drawnSupport(law);
  const { reports, cells } = supportsOf(law, tallies);
  return Array.from(cells, (ones, bucket) => {
    const drawn = drawnIn(law, tallies, bucket);
    const variance = drawnVariance(law, Math.max(1, drawn), reports, perDevice);
    return scored(drawn === 0 ? 0.5 : (ones / drawn - q) / (p - q), spreadOverPeople(variance, people));
  });
}
