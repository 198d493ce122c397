/** Lists of days, and calendar months in days since 1970-01-01. Old days are kept as months, which count in a range of days only as a whole. */

import { parseDay } from '@murmuration/shared';

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

function monthOf(day: number, further: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further) / DAY_MS;
}

/** The first day of a day's month. */
export const monthStart = (day: number): number => monthOf(day, 0);

/** The first day of the next month. */
export const nextMonth = (day: number): number => monthOf(day, 1);

/**
 * A range of days without the parts of months before a day, which is the first of a month.
 *
 * @param from first day
 * @param to last day
 */
export function wholeMonths(from: number, to: number, before: number): readonly [from: number, to: number] {
  return [
    from >= before || monthStart(from) === from ? from : nextMonth(from),
    to >= before - 1 || nextMonth(to) === to + 1 ? to : monthStart(to) - 1,
  ];
}

/** Days that a question leaves out, at most. */
const MOST_EXCLUDED = 100;

/**
 * Days in a list such as 2026-11-08,2026-11-09, without repetition and in their order.
 *
 * @returns undefined where it is not one
 */
export function parseDays(text: string): readonly number[] | undefined {
  const days = text.split(',').map(parseDay);
  if (days.length > MOST_EXCLUDED || days.some((day) => day === undefined)) return undefined;
  return [...new Set(days as readonly number[])].sort((a, b) => a - b);
}

export const SOME_DAYS: string = `at most ${MOST_EXCLUDED} days such as 2026-11-08,2026-11-09`;
