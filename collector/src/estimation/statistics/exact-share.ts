/** Exact bounds of a share, from a count of independent trials (Clopper and Pearson 1934). */

import { endOf } from './bisection.ts';
import { atMost } from './counts.ts';

/** A bound that is above the true share with at most this probability. */
export const lowerShare = (count: number, trials: number, probability: number): number =>
  count === 0 ? 0 : endOf(count / trials, 0, (chance) => 1 - atMost([{ trials, chance }], count - 1) > probability);

/** A bound that is below the true share with at most this probability. */
export const upperShare = (count: number, trials: number, probability: number): number =>
  count === trials ? 1 : endOf(count / trials, 1, (chance) => atMost([{ trials, chance }], count) > probability);
