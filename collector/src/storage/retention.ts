/** For how long a store keeps tallies: as days, as months, and at all. Both backends follow these borders. */

import { monthStart } from '../base/days.ts';

/** For how many days tallies are kept as days, and at all. */
export interface RetentionOptions {
  readonly dailyFor: number;
  readonly keepFor: number;
}

export const RETENTION: RetentionOptions = { dailyFor: 400, keepFor: Number.POSITIVE_INFINITY };

/** Whole months before `rolled` are added up, and days before `kept` are deleted. Both only ever move forward. */
export interface Borders {
  readonly rolled: number;
  readonly kept: number;
}

/** The borders on a day. A month goes as a whole. */
export function bordersOf(today: number, { dailyFor, keepFor }: RetentionOptions): Borders {
  const rolled = Math.max(0, monthStart(today - dailyFor));
  const kept = Math.max(0, today - keepFor);
  return { rolled, kept: kept < rolled ? monthStart(kept) : kept };
}

/**
 * A day has been reached when so many others of the days before it have reports. One wrong clock can't claim that: while it is ahead,
 * batches of 16 days are accepted.
 */
const OTHERS = 17;
const WITHIN = 62;

/** The newest day that has been reached, of the days that have tallies, the latest first; 0 when there is none. */
export const reachedOf = (days: readonly number[]): number =>
  days.find((day, i) => (days[i + OTHERS] ?? Number.NEGATIVE_INFINITY) >= day - WITHIN) ?? 0;
