/** How often intervals cover over rounds of drawn tallies: of laws with a matrix (drawn.ts), and of those whose reports are bits (drawn-bits.ts). */

import { seededRng, words } from '@murmuration/client/testing';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { coveredBy } from '#collector/planning/simulate/simulation.ts';

/** The uniform numbers in [0, 1) that a drawing uses. */
export type Uniform = () => number;

/** One drawn tally. */
interface Round {
  /** The shares that the devices have. */
  readonly among: readonly number[];
  /** About the devices, or about the population that so many people were drawn from. */
  readonly estimates: (people?: number) => readonly Estimate[];
}

/** A law, the shares of what people have, and what its intervals are about. */
export interface Drawing {
  readonly name: string;
  readonly shares: readonly number[];
  /** What the estimates are of, where these are the shares. */
  readonly truths: (shares: readonly number[]) => readonly number[];
  readonly round: (devices: number, uniform: Uniform) => Round;
  /** Intervals about those who reported are bounds, and on the long side: squares.ts says of which laws. */
  readonly cautious?: true;
  /** The tally of a million devices has millions of cells, and takes seconds. */
  readonly isLong?: true;
}

const shared = (weights: readonly number[]): readonly number[] => {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
};
export const evenly = (size: number): readonly number[] => shared(Array.from({ length: size }, () => 1));
export const falling = (size: number): readonly number[] => shared(Array.from({ length: size }, (_, i) => 1 / (i + 1)));
export const ends = (size: number): readonly number[] => shared(Array.from({ length: size }, (_, i) => (i % (size - 1) === 0 ? 1 : 0)));

/** The shares below each inner edge of the cells. */
export const belowEdges = (shares: readonly number[]): readonly number[] =>
  shares.slice(1).map((_, i) => shares.slice(0, i + 1).reduce((sum, share) => sum + share, 0));

/** 53 bits each. */
export function uniforms(seed: number): Uniform {
  const word = words(seededRng(seed));
  return () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
}

/** The share of intervals that hold what they are about, over rounds. */
export function drawnCoverage({ shares, truths, round }: Drawing, devices: number, rounds: number, seed: number) {
  const uniform = uniforms(seed);
  let [reports, population] = [0, 0];
  for (let i = 0; i < rounds; i++) {
    const { among, estimates } = round(devices, uniform);
    reports += coveredBy(estimates(), truths(among));
    population += coveredBy(estimates(devices), truths(shares));
  }
  return { reports: reports / rounds, population: population / rounds };
}
