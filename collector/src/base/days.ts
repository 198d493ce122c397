/** Calendar months in days since 1970-01-01. Old days are kept as months, which count in a range of days only as a whole. */

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
