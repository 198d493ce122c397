// Explains a metric's technical terms, signs and impossible numbers in a sentence each, for people who have not read the papers.
// The tags show the sentences on hover; the details show them to everybody.

import type { Among, Answer, Estimates, Metric, Sign } from '../api/shown.ts';
import { count, dayBefore, dayRange, daysBetween } from './format.ts';
import { labelOf } from './judge.ts';
import { MEANINGS } from './meanings.ts';

export interface Explanation {
  readonly word: string;
  readonly meaning: string;
}

const CADENCES: Readonly<Record<Metric['every'], Explanation & { readonly days: number }>> = {
  once: { word: 'once', meaning: 'A device answers once and never again.', days: Number.POSITIVE_INFINITY },
  day: { word: 'daily', meaning: 'A device answers at most once a day.', days: 1 },
  week: { word: 'weekly', meaning: 'A device answers at most once in 7 days.', days: 7 },
  month: { word: 'monthly', meaning: 'A device answers at most once in 30 days.', days: 30 },
  year: { word: 'yearly', meaning: 'A device answers at most once in 365 days.', days: 365 },
};

/** Population that estimates describe, in words. */
export function whomOf(among: Among): string {
  return among === 'population' ? 'all users' : 'the devices that reported';
}

/** When there will be enough reports, as the collector foresees it; undefined where it says nothing. */
export function outlookInWords({ outlook, range, type }: Pick<Metric, 'outlook' | 'range' | 'type'>): string | undefined {
  if (outlook === undefined) return undefined;
  const { error, weeks } = outlook;
  const points = 100 * error;
  const exact = range && type !== 'distribution' ? `± ${points} % of its range` : `± ${points} ${points === 1 ? 'point' : 'points'}`;
  const when = weeks === null ? 'is out of reach' : `in ${count(weeks)} ${weeks === 1 ? 'week' : 'weeks'}`;
  return `${exact} ${when} at this rate.`;
}

/** Limits of an interval, in a sentence. */
export function marginOf(among: Among): string {
  return among === 'population'
    ? 'The interval is about all users: it allows for the noise and for who happened to report. Those who did are taken to be a random sample.'
    : 'The interval is about the devices that reported, and no others: it allows for the noise alone.';
}

/** How often a device may answer in a range of days, both ends counted. */
export function slotsIn(every: Metric['every'], from: string, to: string): number {
  return Math.max(1, Math.ceil(daysBetween(from, to) / CADENCES[every].days));
}

/** Secondary facts about how a metric is asked: mechanism, ε per report, ε per epoch, cadence. */
export function explain(metric: Metric): readonly Explanation[] {
  const facts = [{ word: metric.mechanism, meaning: MEANINGS[metric.mechanism] }, epsilonPerReport(metric.epsilon)];
  if (metric.permanent) facts.push(epsilonPerEpoch(metric.permanent));
  facts.push(CADENCES[metric.every]);
  return facts;
}

function epsilonPerReport(epsilon: number): Explanation {
  return {
    word: `ε ${decimal(epsilon)} per report`,
    meaning: `Whatever the true answer is, no report is more than ${factor(epsilon)} times as likely as under another answer. Smaller is more private.`,
  };
}

function epsilonPerEpoch({ epsilon, renew }: NonNullable<Metric['permanent']>): Explanation {
  const epoch = renew === 'never' ? 'for ever' : `per ${renew}`;
  const span = renew === 'never' ? 'All reports of one device' : `All reports of one device in a ${renew}`;
  return {
    word: `ε ${decimal(epsilon)} ${epoch}`,
    meaning: `${span} repeat one randomized answer: taken together, they are at most ${factor(epsilon)} times as likely under one answer as under another.`,
  };
}

function decimal(epsilon: number): string {
  return String(Math.round(epsilon * 100) / 100);
}

/** e^ε, rounded up: rounded down, it would not be a bound. */
function factor(epsilon: number): string {
  const value = Math.exp(epsilon);
  return value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value).toLocaleString('en');
}

const SEEN: Readonly<Record<Sign['kind'], (day: string) => string>> = {
  law: (day) => `On ${day}, reports came that randomized answers cannot explain: they may be fake or broken`,
  silence: (day) => `On ${day}, almost no reports came, compared with the same weekday before`,
  value: (day) => `Since ${day}, with a new version, the average has jumped`,
  rate: (day) => `Since ${day}, with a new version, the number of reports has jumped, compared with other metrics`,
};

/** A sign, or a silence of several days in a row, with the first of them. */
type Seen = Pick<Sign, 'kind' | 'day' | 'segments'> & { readonly from?: string };

/** The signs of a metric, the newest first. Silent days in a row are one. */
export function joined<S extends Seen>(signs: readonly S[]): readonly S[] {
  const all: S[] = [];
  for (const sign of signs.toSorted((one, other) => (one.day < other.day ? 1 : -1))) {
    const last = all.at(-1);
    const goesOn = sign.kind === 'silence' && last?.kind === 'silence' && dayBefore(last.from ?? last.day, 1) === sign.day;
    if (goesOn) all[all.length - 1] = { ...last, from: sign.day };
    else all.push(sign);
  }
  return all;
}

/** A sign in a sentence, with the segments where it is seen: `platform=ios` -> `platform ios`. */
export function signInWords({ kind, day, from = day, segments }: Seen): string {
  const where = segments.map((segment) => segment.replace('=', ' ')).join(' and ');
  return `${SEEN[kind](dayRange(from, day))}${where && `. They are from ${where}`}.`;
}

/** Numbers of a metric's answers that can't be: `“Yes” below 0 % or above 100 %`. */
export function impossibleInWords(
  { labels }: NonNullable<Estimates['impossible']>,
  answers: readonly Answer[],
  { type, range }: Pick<Metric, 'type' | 'range'>,
): string {
  if (range) return `the average outside ${range[0].toLocaleString('en')} to ${range[1].toLocaleString('en')}`;
  const [label = ''] = labels;
  const answer = answers.find((each) => each.label === label);
  const name = labels.length === 1 ? `“${answer ? labelOf(answer, type) : label}”` : `${labels.length} answers`;
  return `${name} below 0\u00a0% or above 100\u00a0%`;
}
