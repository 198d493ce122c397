/**
 * Whom an estimate describes. Among the people who reported, a share is known except for the law's noise. These people are taken to be a
 * random sample of all users. So an estimate of the share f among all users varies by f (1-f) / m more, with m the number of people. The
 * noise has mean 0 whoever reports, so the two variances add up.
 *
 * N reports may include several of one person, whose answers are then not independent draws. With up to T reports of each, there are at
 * least N / T people. This least number is used. It is cautious: people whose answer changes, or who sent fewer reports, contribute more
 * information.
 */

import type { Variance } from './estimate.ts';

/** What an estimate can describe: all users, or only the people whose reports were counted. */
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
