/**
 * Who an estimate is about. A share among the people who reported is known but for the law's noise. They are a sample of all
 * users, taken to be random; so an estimate of the share f among all users varies by f (1-f) / m more, m the people: noise
 * has mean 0 whoever reports, so the two variances add up.
 *
 * In N reports there may be several of one person, whose answers are then no independent draws. With up to T of each there
 * are at least N / T people. As many are taken: cautious, since people whose answer changes, or who sent fewer, tell more.
 */

import type { Variance } from './estimate.ts';

/** What an estimate can be about: all users, or the people whose reports were counted. */
export const AMONG: readonly ['population', 'reports'] = ['population', 'reports'];

export type Among = (typeof AMONG)[number];

/** Infinitely many people: none of the variance is theirs, as where those who reported are all who are asked about. */
export const THESE: number = Number.POSITIVE_INFINITY;

/** How many people were drawn from the population, in so many reports of which one may have sent up to `perPerson`. */
export const peopleIn = (among: Among, reports: number, perPerson: number): number =>
  among === 'population' ? reports / perPerson : THESE;

/** The variance of a share, with that of its part of so many people. */
export const spreadOverPeople = ({ constant, slope, curve }: Variance, people: number): Variance => ({
  constant,
  slope: slope + 1 / people,
  curve: curve + 1 / people,
});
