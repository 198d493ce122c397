// The technical terms of how a metric is asked, in a sentence each, for people who have not read the papers.

import type { Among, Metric } from '../api/shown.ts';
import { daysBetween } from './format.ts';
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
