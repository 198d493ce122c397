/** The input and output that all simulations share. */

import type { Estimate } from '../../estimation/estimate.ts';

/** Seeded rounds of clients whose true answers are drawn from shares. */
export interface Simulation {
  readonly epsilon: number;
  /** Default: the automatic choice. */
  readonly mechanism?: string;
  /** ε∞ of a permanent metric. */
  readonly permanent?: number;
  /** The number of days on which each client reports: 1 unless the metric is permanent. */
  readonly days?: number;
  readonly clients: number;
  readonly shares: readonly number[];
  readonly rounds: number;
  readonly seed: number;
}

/** Runs the rounds, each with its own seed. */
export const roundsOf = <R>({ rounds, seed }: Simulation, round: (seed: number) => R): readonly R[] =>
  Array.from({ length: rounds }, (_, i) => round(seed * 1_000_003 + i));

/** The mean over rounds. */
export const averageOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** Squared errors over rounds: their mean, its standard error (null for one round), and the theoretical value. */
export interface Errors {
  readonly mse: number;
  readonly mseStandardError: number | null;
  readonly theoryMse: number;
  /** Coverage of the intervals for the clients themselves, and of those for all users, from whom clients are drawn. */
  readonly coverage95: number;
  readonly populationCoverage95: number;
}

/** The contribution of one round. */
export interface RoundErrors {
  readonly squaredError: number;
  readonly theory: number;
  /** The part of the truths covered by the intervals, among the clients and among all users. */
  readonly covered: number;
  readonly coveredPopulation: number;
}

/** The mean squared error of numbers as estimates of these truths. */
export const meanSquare = (numbers: readonly number[], truths: readonly number[]): number =>
  averageOf(truths.map((truth, i) => ((numbers[i] as number) - truth) ** 2));

/** 1 if an interval covers a truth, else 0. */
export const holds = ({ low, high }: Pick<Estimate, 'low' | 'high'>, truth: number): number => Number(low <= truth && truth <= high);

/** The part of the truths covered by the intervals. */
export const coveredBy = (estimates: readonly Estimate[], truths: readonly number[]): number =>
  averageOf(truths.map((truth, i) => holds(estimates[i] as Estimate, truth)));

/** The errors of estimates of these truths. */
export const errorsBeside = (estimates: readonly Estimate[], truths: readonly number[]): Pick<RoundErrors, 'squaredError' | 'covered'> => ({
  squaredError: meanSquare(
    estimates.map(({ estimate }) => estimate),
    truths,
  ),
  covered: coveredBy(estimates, truths),
});

/** The errors of rounds. */
export function errorsOf(rounds: readonly RoundErrors[]): Errors {
  const mse = averageOf(rounds.map(({ squaredError }) => squaredError));
  const spread = rounds.reduce((sum, { squaredError }) => sum + (squaredError - mse) ** 2, 0);
  return {
    mse,
    mseStandardError: rounds.length > 1 ? Math.sqrt(spread / (rounds.length - 1) / rounds.length) : null,
    theoryMse: averageOf(rounds.map(({ theory }) => theory)),
    coverage95: averageOf(rounds.map(({ covered }) => covered)),
    populationCoverage95: averageOf(rounds.map(({ coveredPopulation }) => coveredPopulation)),
  };
}

/** The contribution of one round of a question that may be permanent: for the first day, and for all days together. */
export interface DaysErrors extends RoundErrors {
  readonly allDays: RoundErrors;
}

/** For a permanent metric: ε∞, and the errors of the estimate from all days together. */
export interface PermanentErrors {
  readonly permanent: number;
  readonly days: number;
  readonly allDays: Errors;
}

/** These errors over rounds; empty when the metric is not permanent. */
export const permanentErrors = ({ permanent, days = 1 }: Simulation, rounds: readonly DaysErrors[]): PermanentErrors | object =>
  permanent === undefined ? {} : { permanent, days, allDays: errorsOf(rounds.map(({ allDays }) => allDays)) };
