// Formats numbers and days: a true minus sign, no break before the percent sign, days in UTC.
// A chart uses one number of decimals, so that its figures align. Ends of intervals are rounded outwards, because
// rounding to the nearest figure could make an error bar too short.

import type { Answer } from '../api/shown.ts';
import { DAY_MS } from '../base/days.ts';

const SPACE = '\u00a0';
const integers = new Intl.NumberFormat('en');
const unrounded = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
const daysOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** 12345 -> 12,345 */
export function count(value: number): string {
  return integers.format(value);
}

/** 1 -> "1 report", 20 -> "20 reports" */
export function reportCount(value: number): string {
  return `${count(value)} ${value === 1 ? 'report' : 'reports'}`;
}

/** Rounds to a whole number: `Math.floor` for low ends, `Math.ceil` for high ends, margins and standard errors, else `Math.round`. */
export type Rounding = (value: number) => number;

/** Rounds to this many decimals. First rounds to twelve digits, because 0.3 - 0.1 is 20 % and not a little less. */
function rounded(value: number, decimals: number, round: Rounding): number {
  const unit = 10 ** decimals;
  return round(Number((value * unit).toPrecision(12))) / unit;
}

const signed = (text: string): string => text.replace('-', /[1-9]/.test(text) ? '\u2212' : '');

/** -1234.5 -> −1,234.5 */
const exact = (value: number): string => signed(unrounded.format(value));

/** The numbers of a bucket as all others are: `< -1000000` -> `< −1,000,000` */
export function bucketInWords(label: string): string {
  return label.replaceAll(/(^| )(-?\d+(?:\.\d+)?)(?= |$)/g, (_, before: string, number: string) => before + exact(Number(number)));
}

/** 0.3124 -> 31.2, without the sign */
export function hundredths(share: number, decimals: number, round: Rounding = Math.round): string {
  return signed(rounded(share * 100, decimals, round).toFixed(decimals));
}

/** 0.3124 -> 31.2 % */
export function percent(share: number, decimals: number, round: Rounding = Math.round): string {
  return `${hundredths(share, decimals, round)}${SPACE}%`;
}

/** -0.3124 -> −0.31, in the unit of the question */
export function figure(value: number, decimals: number, round: Rounding = Math.round): string {
  const format = new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return signed(format.format(rounded(value, decimals, round)));
}

/** The ends of an interval. */
type Ends = Pick<Answer, 'low' | 'high'>;

/** The figures shown with an interval. */
type Between = Pick<Answer, 'estimate' | 'low' | 'high'>;

const halfOf = ({ low, high }: Ends): number => (high - low) / 2;

/** Decimals that show a margin with two digits. Rounded up, it is then at most a tenth too wide. */
const twoDigits = (half: number): number => 1 - Math.floor(Math.log10(half));

/** Decimals needed to show the margin of a number with two digits. */
export function decimalsForValue(value: Ends): number {
  const half = halfOf(value);
  return half > 0 ? Math.min(12, Math.max(0, twoDigits(half))) : 1;
}

/** Decimals needed to show the narrowest margin of shares, in points, with two digits. */
export function decimalsFor(answers: readonly Ends[]): number {
  const narrowest = Math.min(...answers.map(halfOf)) * 100;
  return narrowest > 0 ? Math.min(4, Math.max(1, twoDigits(narrowest))) : 1;
}

/** The margin of a share in points, without the sign. The displayed estimate ± margin covers the whole interval. */
export function margin({ estimate, low, high }: Between, decimals: number): string {
  return marginOfValue({ estimate: 100 * estimate, low: 100 * low, high: 100 * high }, decimals);
}

/** The same for a number, in the unit of the question. */
export function marginOfValue({ estimate, low, high }: Between, decimals: number): string {
  const shown = rounded(estimate, decimals, Math.round);
  return figure(Math.max(high - shown, shown - low), decimals, Math.ceil);
}

/** An estimate with its margin, as a share or as a number: `31.2 % ± 1.9` */
export function withMargin(found: Between, isValue: boolean): string {
  const decimals = isValue ? decimalsForValue(found) : decimalsFor([found]);
  const [shown, around] = isValue ? [figure, marginOfValue] : [percent, margin];
  return `${shown(found.estimate, decimals)} ± ${around(found, decimals)}`;
}

/** The ends of an interval of shares, rounded outwards: `31.2 % to 33.0 %`, with any word between. */
export function ends({ low, high }: Ends, decimals: number, word: string): string {
  return `${percent(low, decimals, Math.floor)} ${word} ${percent(high, decimals, Math.ceil)}`;
}

/** The same for numbers, in the unit of the question. */
export function endsOfValue({ low, high }: Ends, decimals: number, word: string): string {
  return `${figure(low, decimals, Math.floor)} ${word} ${figure(high, decimals, Math.ceil)}`;
}

/** An interval as a claim. The part outside 0 to 100 % is omitted, because no share can be there. */
export function rangeInWords({ low, high }: Ends, decimals: number): string {
  if (low <= 0 && high >= 1) return 'not enough reports yet';
  if (low <= 0) return `at most ${percent(Math.max(0, high), decimals, Math.ceil)}`;
  if (high >= 1) return `at least ${percent(Math.min(1, low), decimals, Math.floor)}`;
  return `between ${ends({ low, high }, decimals, 'and')}`;
}

/** The same for a number of a range, in the unit of the question. */
export function valueInWords({ low, high }: Ends, [least, greatest]: readonly [number, number], decimals: number): string {
  if (low <= least && high >= greatest) return `anything from ${exact(least)} to ${exact(greatest)}`;
  if (low <= least) return `at most ${figure(Math.max(least, high), decimals, Math.ceil)}`;
  if (high >= greatest) return `at least ${figure(Math.min(greatest, low), decimals, Math.floor)}`;
  return `between ${endsOfValue({ low, high }, decimals, 'and')}`;
}

/** 9 Nov */
export const shortDay = (day: string): string => daysOfYear.format(Date.parse(day));

/** 9–20 Nov 2026 */
export function dayRange(from: string, to: string): string {
  return days.formatRange(Date.parse(from), Date.parse(to));
}

/** The number of days in a range, including both ends. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

/** The day `distance` days before a day. */
export function dayBefore(day: string, distance: number): string {
  return new Date(Date.parse(day) - distance * DAY_MS).toISOString().slice(0, 10);
}

/** Width of a letter of a name in a drawing, in pixels, at most. */
const LETTER = 7.6;

/** A name in lines that fit. Two names may differ at their ends alone, so nothing is cut. */
export function wrapped(name: string, width: number): readonly string[] {
  const most = Math.max(8, Math.floor(width / LETTER));
  const lines = [''];
  for (const word of name.split(' ').flatMap((each) => each.match(new RegExp(`.{1,${most}}`, 'gsu')) ?? [])) {
    const line = lines.at(-1) as string;
    if (line !== '' && line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.filter((line) => line !== '');
}
