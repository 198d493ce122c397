/** The input and the result of every estimator: tallies and the people whom they describe; an estimate and its interval. */

import { Z95 } from './statistics/tails.ts';
import type { Tallies } from './tally.ts';

/** The ends of an interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** An unbiased estimate of a frequency in [0, 1], with its 95 % interval. The estimate itself may lie outside. */
export interface Estimate extends Interval {
  readonly estimate: number;
  readonly standardError: number;
}

/** The variance of an estimate as a function of the frequency f: constant + slope f - curve f². */
export interface Variance {
  readonly constant: number;
  readonly slope: number;
  readonly curve: number;
}

const clamp = (x: number): number => Math.min(1, Math.max(0, x));

/**
 * An estimate of a frequency f whose variance is constant + slope f - curve f², with its score interval: all f for which (estimate - f)² <=
 * z² (constant + slope f - curve f²) (Wilson 1927). It covers where the plug-in interval is too short. The ends are the roots of a
 * quadratic, (1 + z² curve) f² - (2 estimate + z² slope) f + estimate² - z² constant. An estimate outside [0, 1] may have no roots, so
 * there the interval also includes the one for the variance at the nearest share.
 *
 * The standard error is that of the frequency in the middle of the interval, following Agresti and Coull (1998). A count of c then has
 * about the variance of c + 2. Using the estimate itself, a count of zero would have the variance of a frequency of 0, which is too small
 * by up to e^(ε/2) for any answer that somebody has.
 */
export function scored(estimate: number, { constant, slope, curve }: Variance): Estimate {
  const at = clamp(estimate);
  const [shift, bend] = [(Z95 * Z95 * slope) / 2, Z95 * Z95 * curve];
  const varianceAt = (f: number): number => constant + slope * f - curve * f * f;
  const middleAt = (f: number): number => estimate + (shift - bend * f) / (1 + bend);
  const intervals = [estimate, at].map((f) => {
    const middle = middleAt(f);
    const half = Math.sqrt(Math.max(0, shift * shift + Z95 * Z95 * (varianceAt(f) + bend * constant))) / (1 + bend);
    return [middle - half, middle + half] as const;
  });
  return {
    estimate,
    standardError: Math.sqrt(varianceAt(clamp(middleAt(at)))),
    low: Math.min(...intervals.map(([low]) => low)),
    high: Math.max(...intervals.map(([, high]) => high)),
  };
}

/*
 * Whom an estimate describes. Among the people who reported, a share is known except for the law's noise. These people are taken to be a
 * random sample of all users. So an estimate of the share f among all users varies by f (1-f) / m more, with m the number of people. The
 * noise has mean 0 whoever reports, so the two variances add up.
 *
 * N reports may include several of one person, whose answers are then not independent draws. With up to T reports of each, there are at
 * least N / T people. This least number is used. It is cautious: people whose answer changes, or who sent fewer reports, contribute more
 * information.
 */

/** Targets of an estimate: all users, or only the people whose reports were counted. */
export const AMONG: readonly ['population', 'reports'] = ['population', 'reports'];

export type Among = (typeof AMONG)[number];

/** Infinitely many people: sampling adds no variance, as when those who reported are everyone in question. */
export const THESE: number = Number.POSITIVE_INFINITY;

/** The number of people drawn from the population, given the number of reports, of which one person may have sent up to `perPerson`. */
export const peopleIn = (among: Among, reports: number, perPerson: number): number =>
  among === 'population' ? reports / perPerson : THESE;

/** The variance of a share, including the part from sampling this many people. */
export const spreadOverPeople = ({ constant, slope, curve }: Variance, people: number): Variance => ({
  constant,
  slope: slope + 1 / people,
  curve: curve + 1 / people,
});

/**
 * How many reports, each of another person, vary as these do. They have the skewness of the errors where few people send many reports.
 *
 * @param noise the variance of one report's error
 * @param spread the variance of the people's truths
 */
export function independentReports(noise: number, spread: number, reports: number, people: number): number {
  const variance = noise / reports + spread / people;
  return people >= reports || variance === 0 ? reports : Math.max(1, (noise + spread) / variance);
}

/** The people whom estimates describe. */
export interface People {
  /** The most reports of one device that repeat one symbol. */
  readonly perDevice: number;
  /** How many were drawn from the population. */
  readonly people: number;
}

/** The tallies of a metric, and the people whom they describe. */
export interface EstimateInput {
  readonly tallies: Tallies;
  /** The most reports of one device in the tallies that repeat one symbol: 1 unless the metric is permanent. */
  readonly perDevice: number;
  /** The number of people drawn from the population; absent when the estimates describe only these people. */
  readonly people?: number;
  /** The strings to estimate; unused for lists. */
  readonly candidates: readonly string[];
}
