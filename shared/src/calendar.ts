/** Days and periods. Murmuration knows no time finer than a UTC day, and no zone but UTC. */

const MILLISECONDS = 86_400_000;

/** How many days each period has. A window is any so many consecutive days. */
export const PERIOD_DAYS = { day: 1, week: 7, month: 30, year: 365 } as const;

/** The length of a budget's window. */
export type Period = keyof typeof PERIOD_DAYS;

/** How often a metric is answered. */
export type Cadence = Period | 'once';

/** How many days pass until the next report, or the next epoch: 1e9 are more than any device lives. */
export const DAYS: Readonly<Record<Cadence | 'never', number>> = { day: 1, week: 7, month: 30, year: 365, once: 1e9, never: 1e9 };

/** The days since 1970-01-01 of a moment given in milliseconds. */
export const dayNumber = (milliseconds: number): number => Math.floor(milliseconds / MILLISECONDS);

/** A day number as `2026-11-20`. */
export const dayText = (day: number): string => new Date(day * MILLISECONDS).toISOString().slice(0, 10);

/** The day number of `2026-11-20`, or undefined where the text is no such day. */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = dayNumber(Date.parse(`${text}T00:00:00Z`));
  return Number.isFinite(day) && dayText(day) === text ? day : undefined;
}
