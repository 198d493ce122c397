// Numbers and days as people read them: a true minus sign, no break before the percent sign, days in UTC.
// One number of decimals serves a whole chart, so that its figures line up.

import type { Answer } from './types.ts';

const SPACE = '\u00a0';
const integers = new Intl.NumberFormat('en');
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** 12345 -> 12,345 */
export function count(value: number): string {
  return integers.format(value);
}

/** 1 -> "1 report", 20 -> "20 reports" */
export function reportCount(value: number): string {
  return `${count(value)} ${value === 1 ? 'report' : 'reports'}`;
}

/** 0.3124 -> 31.2, without the sign */
export function hundredths(share: number, decimals: number): string {
  const text = (share * 100).toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '\u2212');
}

/** 0.3124 -> 31.2 % */
export function percent(share: number, decimals: number): string {
  return `${hundredths(share, decimals)}${SPACE}%`;
}

/** -0.3124 -> −0.31, in the unit of a question */
export function figure(value: number, decimals: number): string {
  const text = new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);
  return /[1-9]/.test(text) ? text.replace('-', '\u2212') : text.replace('-', '');
}

/** Decimals enough to show the margin of a number with two digits, and no more. */
export function decimalsForValue(answer: Answer): number {
  const half = margin(answer);
  return half > 0 ? Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(half)))) : 1;
}

/** Half the 95 % interval. */
export function margin(answer: Answer): number {
  return (answer.high - answer.low) / 2;
}

/** Decimals enough to show the narrowest margin with one digit, and no more. */
export function decimalsFor(answers: readonly Answer[]): number {
  const narrowest = Math.min(...answers.map(margin)) * 100;
  if (!(narrowest > 0)) return 1;
  return Math.min(4, Math.max(1, Math.ceil(-Math.log10(narrowest))));
}

/** An interval as a claim; what lies outside 0 to 100 % is left unsaid, for no share can. */
export function rangeInWords(answer: Answer, decimals: number): string {
  const { low, high } = answer;
  if (low <= 0 && high >= 1) return 'anything from none to all, so far';
  if (low <= 0) return `at most ${percent(high, decimals)}`;
  if (high >= 1) return `at least ${percent(low, decimals)}`;
  return `between ${percent(low, decimals)} and ${percent(high, decimals)}`;
}

/** 9–20 Nov 2026 */
export function dayRange(from: string, to: string): string {
  return days.formatRange(Date.parse(from), Date.parse(to));
}

/** How many days a range holds, both ends counted. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
}

/** The day that lies `distance` days before. */
export function dayBefore(day: string, distance: number): string {
  return new Date(Date.parse(day) - distance * 86_400_000).toISOString().slice(0, 10);
}
