// What a metric's technical words mean, in a sentence each, for people who did not read the papers.
// The tags show them on hover; the details show them to everybody.

import { daysBetween } from './format.ts';
import type { Among, Cadence, Mechanism, Metric } from './types.ts';

export interface Explanation {
  readonly word: string;
  readonly meaning: string;
}

const MECHANISMS: Readonly<Record<Mechanism, string>> = {
  'k-ary': 'k-ary randomized response: a device sends its own answer with a known probability, else another one, drawn at random.',
  subset: 'Subset selection: a device sends a random set of answers, which holds its own with a known, higher probability.',
  unary: 'Unary encoding: a device sends a bit for each answer, each of them flipped at random.',
  'local-hashing':
    'Local hashing: a device hashes its answer to one of a few buckets, and sends that bucket with a known probability, else another one.',
  rappor: 'RAPPOR: a device hashes its answer to one of many bits, flips bits at random, and sends what comes out.',
  privset:
    'PrivSet: a device fills its set of answers up with blanks, and sends a random set, which meets its own with a known, higher probability.',
  'd-bit-flip': 'dBitFlip: a device draws some of the buckets, and sends a bit for each of these, flipped at random.',
  'one-bit': 'One bit: a device rounds its number to an end of the range at random, and sends that end, or at random the other.',
  exponential: 'Exponential mechanism: a device sends an option, drawn at random, the likelier the better it suits what it knows.',
  'string-hashing':
    'Local hashing: a device hashes its string to one of a few buckets, and sends that bucket with a known probability, else another one.',
  'count-mean-sketch':
    'Count mean sketch: a device hashes its answer to one of a few bits, flips each of them at random, and sends what comes out.',
  'hadamard-count-mean-sketch':
    'Hadamard count mean sketch: a device hashes its answer to one of a few buckets, and sends one bit of that, flipped at random.',
  hadamard:
    'Hadamard response: each answer has a set of outputs, a known part of them all; a device sends one that is more likely from the set of its own.',
  projective:
    'Projective geometry response: each answer has a set of outputs, a known part of them all; a device sends one that is more likely from the set of its own.',
  geometric: 'Two-sided geometric mechanism: a device adds a random whole number to its count, and sends the sum, clamped.',
  hybrid: 'Hybrid mechanism: a device sends, at random, one of the two ends of the range or a place near its number.',
  laplace: 'Laplace mechanism: a device rounds its number to a grid, adds a random number of steps, and sends the place, clamped.',
  scored:
    'Scored windows: a device rounds its number at random to a point, and sends an output from the window around it with a known probability, else any other.',
  'square-wave': 'Square wave: a device sends a place near its number with a known probability, else any other place of the range.',
  hierarchical:
    'Hierarchical intervals: a device draws how finely it answers, and sends, randomized, which part of the range holds its number.',
  piecewise:
    'Piecewise mechanism: a device rounds its number at random, and sends a place near it with a known probability, else any other.',
};

const CADENCES: Readonly<Record<Cadence, Explanation & { readonly days: number }>> = {
  once: { word: 'once', meaning: 'A device answers once and never again.', days: Number.POSITIVE_INFINITY },
  day: { word: 'daily', meaning: 'A device answers at most once a day.', days: 1 },
  week: { word: 'weekly', meaning: 'A device answers at most once in 7 days.', days: 7 },
  month: { word: 'monthly', meaning: 'A device answers at most once in 30 days.', days: 30 },
  year: { word: 'yearly', meaning: 'A device answers at most once in 365 days.', days: 365 },
};

/** Whom estimates are about, in words. */
export function whomOf(among: Among): string {
  return among === 'population' ? 'all users' : 'the devices that reported';
}

/** What an interval leaves open, in a sentence. */
export function marginOf(among: Among): string {
  return among === 'population'
    ? 'The interval is about all users: it allows for the noise and for who happened to report. Those who did are taken to be a random sample.'
    : 'The interval is about the devices that reported, and no others: it allows for the noise alone.';
}

/** How often a device may answer in a range of days, both ends counted. */
export function slotsIn(every: Cadence, from: string, to: string): number {
  return Math.max(1, Math.ceil(daysBetween(from, to) / CADENCES[every].days));
}

/** The quiet facts about how a metric is asked: mechanism, ε per report, ε per epoch, cadence. */
export function explain(metric: Metric): readonly Explanation[] {
  const facts = [{ word: metric.mechanism, meaning: MECHANISMS[metric.mechanism] }, epsilonPerReport(metric.epsilon)];
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

/** e^ε, rounded up: a bound that is rounded down is none. */
function factor(epsilon: number): string {
  const value = Math.exp(epsilon);
  return value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value).toLocaleString('en');
}
