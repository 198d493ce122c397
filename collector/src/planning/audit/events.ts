/**
 * Events that tell two values apart: what a report is scored by, and the score from which on the event holds. The best one is chosen by runs
 * of its own, so that a bound from other runs is honest.
 */

import { type Law, mechanismOf, type Report } from '@murmuration/shared';
import type { Tallies, Tally } from '../../estimation/tally.ts';

/** Numbers that a report is scored by. */
export type Scores = (report: Report) => readonly [likelihood: number, place: number];

/** An event: a score, times 1 or -1, is at least a threshold. */
export interface Event {
  readonly score: number;
  readonly sign: 1 | -1;
  readonly threshold: number;
}

/** The scores of the runs that choose an event: for each score, one number a run. */
export type Scored = readonly [Float64Array, Float64Array];

/** Standard errors by which a cell's shares must differ to count: noise in many cells would otherwise hide the few that tell. */
const APART = 4;

/** Standard errors of the bounds that choose an event: about those of the bounds that follow. */
const CAREFUL = 5.5;

/** ln P(report | first) / P(report | second) of a cohort's reports as if its bits were independent: a constant, and a weight for each one. */
interface Weights {
  readonly constant: number;
  readonly cells: Float64Array;
}

/** A symbol's weight is the log-ratio of its counts, each plus a half. */
const symbolWeights = (first: Tally, second: Tally): Weights => ({
  constant: 0,
  cells: first.cells.map((count, cell) => Math.log((count + 0.5) / ((second.cells[cell] as number) + 0.5))),
});

function bitWeights(first: Tally, second: Tally): Weights {
  let constant = Math.log((first.reports + 0.5) / (second.reports + 0.5));
  const cells = first.cells.map((count, cell) => {
    const [p, q] = [(count + 0.5) / (first.reports + 1), ((second.cells[cell] as number) + 0.5) / (second.reports + 1)];
    const error = Math.sqrt((p * (1 - p)) / (first.reports + 1) + (q * (1 - q)) / (second.reports + 1));
    if (Math.abs(p - q) < APART * error) return 0;
    const missing = Math.log((1 - p) / (1 - q));
    constant += missing;
    return Math.log(p / q) - missing;
  });
  return { constant, cells };
}

/**
 * The scores of a report: the log of its likelihood ratio, estimated from sums of reports of both values, and its place: the number of its
 * symbol, or of its ones.
 */
export function scoresOf(law: Law, first: Tallies, second: Tallies): Scores {
  const { form, cells } = mechanismOf(law).shape(law);
  const none = { reports: 0, cells: new Float64Array(cells) };
  const weigh = form === 'symbol' ? symbolWeights : bitWeights;
  const cohorts = new Map(
    [...new Set([...first.keys(), ...second.keys()])].map((cohort) => [
      cohort,
      weigh(first.get(cohort) ?? none, second.get(cohort) ?? none),
    ]),
  );
  return ({ cohort, cells: ones }) => {
    const weights = cohorts.get(cohort);
    const likelihood = weights && ones.reduce((sum, cell) => sum + (weights.cells[cell] as number), weights.constant);
    return [likelihood ?? 0, form === 'symbol' ? (ones[0] as number) : ones.length];
  };
}

/** True if an event holds for a report with these scores. */
export const isIn = ({ score, sign, threshold }: Event, scores: readonly number[]): boolean =>
  sign * (scores[score] as number) >= threshold;

/** One end of the score interval of a share (Wilson 1927). */
function wilson(count: number, trials: number, side: 1 | -1): number {
  const [share, z2] = [count / trials, CAREFUL ** 2 / trials];
  return (share + z2 / 2 + side * Math.sqrt(z2 * (share * (1 - share) + z2 / 4))) / (1 + z2);
}

/** The threshold of one score with the largest bound on ln P(event | first) / P(event | second), and that bound. */
function bestThreshold(first: Float64Array, second: Float64Array): { readonly threshold: number; readonly bound: number } {
  let best = { threshold: Number.NEGATIVE_INFINITY, bound: 0 };
  for (let [i, j] = [first.length, second.length]; i > 0; ) {
    const threshold = first[i - 1] as number;
    while (i > 0 && (first[i - 1] as number) >= threshold) i--;
    while (j > 0 && (second[j - 1] as number) >= threshold) j--;
    const bound = Math.log(wilson(first.length - i, first.length, -1) / wilson(second.length - j, second.length, 1));
    if (bound > best.bound) best = { threshold, bound };
  }
  return best;
}

/** The event that tells reports of the first value best, and a bound on ε at it, from the runs that chose it. */
export function bestEvent(first: Scored, second: Scored): Event & { readonly bound: number } {
  const found = first.flatMap((scores, score) =>
    ([1, -1] as const).map((sign) => {
      const signed = (each: Float64Array): Float64Array => each.map((number) => sign * number).sort();
      return { score, sign, ...bestThreshold(signed(scores), signed(second[score] as Float64Array)) };
    }),
  );
  return found.reduce((most, each) => (each.bound > most.bound ? each : most));
}
