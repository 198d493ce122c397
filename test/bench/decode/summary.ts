/** Rows over many verdicts: false discoveries, power, standard errors, coverage, distance, time. */

import type { Verdict } from './verdict.ts';

export interface Summary {
  readonly sets: number;
  /** The mean share of false ones among those reported, and its standard error. */
  readonly fdp: number;
  readonly fdpError: number;
  /** Found over what the oracle finds: the mean over sets of which it finds any, and over all strings together. */
  readonly power: number;
  readonly pooledPower: number;
  /** Root mean square of error over standard error: 1 is right. */
  readonly errorRatio: number;
  /** The share of reported strings whose interval holds the truth. */
  readonly covered: number;
  readonly distance: number;
  readonly reportedDistance: number;
  readonly seconds: number;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, x) => all + x, 0);

export function summaryOf(verdicts: readonly Verdict[]): Summary {
  const proportions = verdicts.map(({ found, wrong }) => wrong / Math.max(1, found + wrong));
  const fdp = mean(proportions);
  const seen = verdicts.filter(({ oracle }) => oracle > 0);
  return {
    sets: verdicts.length,
    fdp,
    fdpError: Math.sqrt(mean(proportions.map((each) => (each - fdp) ** 2)) / Math.max(1, verdicts.length - 1)),
    power: mean(seen.map(({ found, oracle }) => found / oracle)),
    pooledPower: sum(seen.map(({ found }) => found)) / sum(seen.map(({ oracle }) => oracle)),
    errorRatio: Math.sqrt(sum(verdicts.map(({ squares }) => squares)) / sum(verdicts.map(({ clear }) => clear))),
    covered: sum(verdicts.map(({ covered }) => covered)) / sum(verdicts.map(({ found, wrong }) => found + wrong)),
    distance: mean(verdicts.map(({ distance }) => distance)),
    reportedDistance: mean(verdicts.map(({ reportedDistance }) => reportedDistance)),
    seconds: sum(verdicts.map(({ seconds }) => seconds)),
  };
}

export const HEADING: readonly string[] = [
  '',
  'sets',
  'FDP',
  '+-',
  'power',
  'pooled',
  'error/SE',
  'covered',
  'TV, whole',
  'TV, reported',
  'CPU s',
];

const three = (x: number): string => (Number.isNaN(x) ? '' : x.toFixed(3));

export const rowOf = (name: string, summary: Summary): readonly string[] => [
  name,
  String(summary.sets),
  three(summary.fdp),
  three(summary.fdpError),
  three(summary.power),
  three(summary.pooledPower),
  three(summary.errorRatio),
  three(summary.covered),
  three(summary.distance),
  three(summary.reportedDistance),
  summary.seconds.toFixed(1),
];
