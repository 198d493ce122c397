/** Days and periods. Murmuration uses no time unit finer than a UTC day and no time zone except UTC. */

const MILLISECONDS = 86_400_000;

/** The length of each period in days. A window is any run of that many consecutive days. */
export const PERIOD_DAYS = { day: 1, week: 7, month: 30, year: 365 } as const;

/** The length of a budget's window. */
export type Period = keyof typeof PERIOD_DAYS;

/** How often a metric is answered. */
export type Cadence = Period | 'once';

/** The number of days until the next report or the next epoch. 1e9 days exceeds any device's life. */
export const DAYS: Readonly<Record<Cadence | 'never', number>> = { day: 1, week: 7, month: 30, year: 365, once: 1e9, never: 1e9 };

/** The day number, counted from 1970-01-01, of a time in milliseconds. */
export const dayNumber = (milliseconds: number): number => Math.floor(milliseconds / MILLISECONDS);

/** A day number as `2026-11-20`. */
export const dayText = (day: number): string => new Date(day * MILLISECONDS).toISOString().slice(0, 10);

/** The day number of a text such as `2026-11-20`; undefined if the text is not a valid day. */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = dayNumber(Date.parse(`${text}T00:00:00Z`));
  return Number.isFinite(day) && dayText(day) === text ? day : undefined;
}
