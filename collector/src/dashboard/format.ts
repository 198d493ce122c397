// Formats numbers and days: a true minus sign, no break before the percent sign, days in UTC.
// A chart uses one number of decimals, so that its figures align. Ends of intervals are rounded outwards, because
// rounding to the nearest figure could make an error bar too short.

import type { Answer } from '../api/shown.ts';
import { DAY_MS } from '../base/days.ts';

const SPACE = '\u00a0';
/** In English, as `Intl` has them; loading what `Intl` needs takes a browser as long as all of the first answer may. */
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'] as const;

/** Between two days. */
const TO = '\u2009–\u2009';

/** A number's text, with its thousands apart: 12345.6789 -> 12,345.6789 */
function grouped(text: string): string {
  const [whole = '', ...part] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...part].join('.');
}

/** 12345 -> 12,345 */
export const count = (value: number): string => grouped(`${value}`);

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
function exact(value: number): string {
  const text = `${value}`;
  return signed(text.includes('e') ? new Intl.NumberFormat('en', { maximumFractionDigits: 20 }).format(value) : grouped(text));
}

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
  return signed(grouped(rounded(value, decimals, round).toFixed(decimals)));
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
export const shortDay = (day: string): string => `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`;

/** 9 – 20 Nov 2026, of days such as 2026-11-09. */
export function dayRange(from: string, to: string): string {
  const [year, month] = [from.slice(0, 4), from.slice(0, 7)];
  const end = `${shortDay(to)} ${to.slice(0, 4)}`;
  if (from === to) return end;
  if (month === to.slice(0, 7)) return `${Number(from.slice(8))}${TO}${end}`;
  return `${shortDay(from)}${year === to.slice(0, 4) ? '' : ` ${year}`}${TO}${end}`;
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
