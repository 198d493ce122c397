/**
 * Tests whether the law can produce a tally. The expected tallies are mixtures of those of the answers, which span a column space. Outside
 * that space, a tally has only noise (`fit`). Within it, no answer's share is below 0 or above 1 (`answers`). Each mechanism's file in
 * mechanisms/ says which test it has.
 */

import { chiSquaredTail } from '../statistics/tails.ts';
import type { Tallies } from '../tally.ts';

/** The p-values of a tally, beyond the bounds of its cells. A p-value is left out where there is nothing to test. */
export interface Fit {
  readonly fit?: number | undefined;
  readonly answers?: number | undefined;
}

/** Tests tallies that hold at least one report. */
export type FitTest<L> = (law: L, tallies: Tallies, perDevice: number) => Fit;

/** The least p-value of several sums of squares, times their number. */
export function together(all: readonly (Squares | undefined)[]): number | undefined {
  const found = all.flatMap((squares) => (squares ? [tailOf(squares)] : []));
  return found.length === 0 ? undefined : Math.min(1, found.length * Math.min(...found));
}

/** A test that uses one sum of squares. */
export const bySquares =
  <L>(squares: (law: L, tallies: Tallies, perDevice: number) => Squares | undefined): FitTest<L> =>
  (law, tallies, perDevice) => ({ fit: together([squares(law, tallies, perDevice)]) });

/** For laws with as many cells as answers: every tally fits, and the bounds of the cells are those of the answers. */
export const everyTallyFits = (): Fit => ({});

/*
 * Sums of squares that are chi-squared if the law holds, and the conditions for that. Classes are pooled until enough devices are expected
 * in each. T reports of one device share its noise and count as one.
 */

/** A sum that is at most `stretch` times chi-squared, with its degrees of freedom over `stretch`. Default of `stretch`: 1. */
export interface Squares {
  readonly statistic: number;
  readonly degrees: number;
  readonly stretch?: number;
}

/** P(a sum at least this large | the law). */
export const tailOf = ({ statistic, degrees, stretch = 1 }: Squares): number => chiSquaredTail(statistic / stretch, degrees / stretch);

/**
 * A class whose variance is less than that of this many devices is pooled, because chi-squared is an approximation. With 2 to 50 classes of
 * 20 each, the exact p-value (of all counts, by convolution) is at most 1.16 times 1e-4 there, and 1.75 times 1e-6.
 */
const LEAST = 20;

/** The class of each value after pooling neighbours; empty when all together have too little variance. */
export function pooled(variances: readonly number[], perDevice: number): readonly number[] {
  const classes: number[] = [];
  let [open, sum] = [0, 0];
  for (const variance of variances) {
    classes.push(open);
    sum += variance;
    if (sum < LEAST * perDevice) continue;
    open++;
    sum = 0;
  }
  return open === 0 ? [] : classes.map((each) => Math.min(each, open - 1)); // the remainder joins the last class
}

/** Sums over the classes. */
export function sumsOf(values: readonly number[], classes: readonly number[]): readonly number[] {
  const sums = Array<number>((classes.at(-1) ?? -1) + 1).fill(0);
  if (sums.length > 0)
    values.forEach((value, i) => {
      sums[classes[i] as number] = (sums[classes[i] as number] as number) + value;
    });
  return sums;
}

/**
 * Pearson's statistic of counts against expectations with the same total; undefined with one class.
 *
 * A device that adds m <= T to its class adds m² times the covariance of one device. So the covariance of all is at most T times that of as
 * many independent reports, and the statistic is divided by T. It is then as near to chi-squared as the statistic of devices is.
 */
export function goodness(counts: readonly number[], expected: readonly number[], perDevice: number): Squares | undefined {
  const classes = pooled(expected, perDevice);
  const [found, wanted] = [sumsOf(counts, classes), sumsOf(expected, classes)];
  if (found.length < 2) return undefined;
  const statistic = found.reduce((sum, count, i) => sum + (count - (wanted[i] as number)) ** 2 / (wanted[i] as number), 0);
  return { statistic: statistic / perDevice, degrees: found.length - 1 };
}
