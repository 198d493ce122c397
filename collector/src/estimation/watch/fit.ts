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

/** The least of several p-values, times their number. */
export function together(all: readonly (number | undefined)[]): number | undefined {
  const found = all.filter((pValue) => pValue !== undefined);
  return found.length === 0 ? undefined : Math.min(1, found.length * Math.min(...found));
}

/** A test that uses one sum of squares. */
export const bySquares =
  <L>(squares: (law: L, tallies: Tallies, perDevice: number) => Squares | undefined): FitTest<L> =>
  (law, tallies, perDevice) => {
    const found = squares(law, tallies, perDevice);
    return { fit: found && tailOf(found) };
  };

/** A test that has one p-value. */
export const byPValue =
  <L>(pValue: (law: L, tallies: Tallies, perDevice: number) => number | undefined): FitTest<L> =>
  (law, tallies, perDevice) => ({ fit: pValue(law, tallies, perDevice) });

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

/**
 * The squares of counts have a heavier tail than chi-squared, and the farther out, the more. For 20 Poisson counts with mean 50, the exact
 * tail (by convolution) is 1.4 times chi-squared's at 1e-4, 2.2 times at 1e-6 and 10 times at 1e-10; for 50 counts 1.3, 1.6 and 3.8 times,
 * for 5 counts 1.7, 4.2 and 67 times. Raised to this power, chi-squared's tail is at least the exact one: from 20 counts on down to 1e-10,
 * with 5 to 1e-8. Sums with a `stretch` are bounds whose third cumulants fit already (designs.ts).
 */
const powerOf = (degrees: number): number => (degrees >= 50 ? 0.94 : degrees >= 20 ? 0.9 : 0.85);

/** A bound on P(a sum at least this large | the law). */
export const tailOf = ({ statistic, degrees, stretch }: Squares): number =>
  stretch === undefined ? chiSquaredTail(statistic, degrees) ** powerOf(degrees) : chiSquaredTail(statistic / stretch, degrees / stretch);

/** A class whose variance is less than that of this many devices is pooled, because chi-squared is an approximation. */
const LEAST = 50;

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
