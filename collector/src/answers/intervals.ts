/** Splits a range of days into days, weeks from Monday, or months of the calendar. */

import { nextMonth } from '../base/months.ts';
import type { DayRange } from '../storage/store.ts';

/** The length of the parts of a series. */
export const INTERVALS: readonly ['day', 'week', 'month'] = ['day', 'week', 'month'];

export type Interval = (typeof INTERVALS)[number];

/** The first day after the interval of this day. Day 0, 1970-01-01, was a Thursday. */
function nextAfter(day: number, interval: Interval): number {
  if (interval === 'day') return day + 1;
  return interval === 'week' ? day + 7 - ((day + 3) % 7) : nextMonth(day);
}

/** The number of parts of a range, at most `most` + 1. The first and the last part may be cut off. */
export function partsIn({ from, to }: DayRange, interval: Interval, most: number): readonly DayRange[] {
  const parts: DayRange[] = [];
  for (let day = from; day <= to && parts.length <= most; ) {
    const next = nextAfter(day, interval);
    parts.push({ from: day, to: Math.min(to, next - 1) });
    day = next;
  }
  return parts;
}
