/**
 * Whether the tally is one that the law can expect. The expectations are the mixtures of the answers' own: they span a column
 * space, outside of which a tally has noise alone (`fit`), and within it no answer's share is below 0 or above 1 (`answers`).
 * Which test a mechanism has stands in its own file in estimators/.
 */

import type { Tallies } from '../store/store.ts';
import { type Squares, tailOf } from './classes.ts';

/** What a law's tally must be, beyond the bounds of its cells. P-values are left out where there is nothing to test. */
export interface Fit {
  readonly fit?: number | undefined;
  readonly answers?: number | undefined;
}

/** The fit of tallies that hold a report or more. */
export type FitTest<L> = (law: L, tallies: Tallies, perDevice: number) => Fit;

/** The least p-value of several sums of squares, times their number. */
export function together(all: readonly (Squares | undefined)[]): number | undefined {
  const found = all.flatMap((squares) => (squares ? [tailOf(squares)] : []));
  return found.length === 0 ? undefined : Math.min(1, found.length * Math.min(...found));
}

/** The test by one sum of squares. */
export const bySquares =
  <L>(squares: (law: L, tallies: Tallies, perDevice: number) => Squares | undefined): FitTest<L> =>
  (law, tallies, perDevice) => ({ fit: together([squares(law, tallies, perDevice)]) });

/** Where there are as many cells as answers: every tally fits, and the bounds of its cells are those of its answers. */
export const everyTallyFits = (): Fit => ({});
