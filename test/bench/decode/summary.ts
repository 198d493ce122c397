/** Rows over many verdicts: false discoveries, power, standard errors, coverage, distance, time. */

import type { Verdict } from './verdict.ts';

export interface Summary {
  readonly sets: number;
  /** The mean share of false ones among those reported, and its standard error. */
  readonly fdp: number;
  readonly fdpError: number;
  /** Found over what the oracle finds: the mean over sets of which it finds any, and over all strings together. */
  readonly power: number;
  readonly powerError: number;
  readonly pooledPower: number;
  /** The mean where no set counts as more than 1: one in which the oracle finds a string and a decode five is a matter of luck. */
  readonly cappedPower: number;
  /** Root mean square of error over standard error: 1 is right. */
  readonly errorRatio: number;
  readonly errorRatioError: number;
  /** The share of reported strings whose interval holds the truth. */
  readonly covered: number;
  readonly coveredError: number;
  readonly distance: number;
  readonly reportedDistance: number;
  readonly seconds: number;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, x) => all + x, 0);

/** The standard error of a mean. */
function errorOf(numbers: readonly number[]): number {
  const middle = mean(numbers);
  return Math.sqrt(mean(numbers.map((each) => (each - middle) ** 2)) / Math.max(1, numbers.length - 1));
}

/** The sum of one over the sum of the other, and its standard error: sets are independent, what one holds is not. */
function quotient(over: readonly number[], under: readonly number[]): readonly [value: number, error: number] {
  const all = sum(under);
  const value = sum(over) / all;
  return [value, Math.sqrt(sum(over.map((each, i) => (each - value * (under[i] as number)) ** 2))) / all];
}

export function summaryOf(verdicts: readonly Verdict[]): Summary {
  const proportions = verdicts.map(({ found, wrong }) => wrong / Math.max(1, found + wrong));
  const seen = verdicts.filter(({ oracle }) => oracle > 0);
  const powers = seen.map(({ found, oracle }) => found / oracle);
  const [square, squareError] = quotient(
    verdicts.map(({ squares }) => squares),
    verdicts.map(({ clear }) => clear),
  );
  const [covered, coveredError] = quotient(
    verdicts.map((verdict) => verdict.covered),
    verdicts.map(({ found, wrong }) => found + wrong),
  );
  return {
    sets: verdicts.length,
    fdp: mean(proportions),
    fdpError: errorOf(proportions),
    power: mean(powers),
    powerError: errorOf(powers),
    pooledPower: sum(seen.map(({ found }) => found)) / sum(seen.map(({ oracle }) => oracle)),
    cappedPower: mean(powers.map((power) => Math.min(1, power))),
    errorRatio: Math.sqrt(square),
    errorRatioError: squareError / (2 * Math.sqrt(square)),
    covered,
    coveredError,
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
  '+-',
  'at most 1',
  'pooled',
  'error/SE',
  '+-',
  'covered',
  '+-',
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
  three(summary.powerError),
  three(summary.cappedPower),
  three(summary.pooledPower),
  three(summary.errorRatio),
  three(summary.errorRatioError),
  three(summary.covered),
  three(summary.coveredError),
  three(summary.distance),
  three(summary.reportedDistance),
  summary.seconds.toFixed(1),
];
