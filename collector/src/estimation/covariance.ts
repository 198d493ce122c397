/**
 * The exact mean and covariance of a metric's estimates under the law, given the true answers of the devices that reported. Devices' coins
 * are independent, so both are sums over devices. One report per device.
 *
 * The estimates of two answers vary together as their supports do, which the file of each list mechanism computes (`pairs`). When a report
 * is one cell and P(u | x) is the channel, Cov(u, v | x) = [u = v] P(u | x) - P(u | x) P(v | x). For strings, see string-covariance.ts.
 */

import { mechanismOf, type StringLaw } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import type { AnswerLaw } from './estimation.ts';
import { estimationOf } from './mechanisms/table.ts';
import type { Moments, Population } from './moments.ts';
import { stringMoments } from './string-covariance.ts';

/** Laws of metrics to which a device has one answer. */
export type MomentsLaw = AnswerLaw | StringLaw;

function listMoments(law: AnswerLaw, counts: readonly number[]): Moments {
  const n = counts.reduce((sum, count) => sum + count, 0);
  const { p, q } = mechanismOf(law).support(law);
  const { pairs, isSumFixed } = estimationOf(law);
  const together = pairs(law, counts);
  const scale = 1 / (n * (p - q)) ** 2;
  const covariance = new Matrix(law.size, law.size);
  counts.forEach((x, u) => {
    counts.forEach((y, v) => {
      const own = x * p * (1 - p) + (n - x) * q * (1 - q);
      const apart = (x + y) * p * q + (n - x - y) * q * q;
      covariance.set(u, v, scale * (u === v ? own : together(u, v) - apart));
    });
  });
  return { mean: counts.map((count) => count / n), covariance, rank: isSumFixed(law) ? law.size - 1 : law.size };
}

/** The moments of a metric's estimates. */
export function momentsOf(law: MomentsLaw, population: Population): Moments {
  if ('size' in law) return listMoments(law, population.counts);
  const { bloom, isSingle } = estimationOf(law);
  return stringMoments(law, bloom(law), isSingle, population);
}
