/**
 * Tests whether the law can produce a tally. The expected tallies are mixtures of those of the answers, which span a column space. Outside
 * that space, a tally has only noise (`fit`). Within it, no answer's share is below 0 or above 1 (`answers`). Each mechanism's file in
 * mechanisms/ says which test it has.
 */

import type { Tallies } from '../tally.ts';
import { type Squares, tailOf } from './classes.ts';

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
