/** Sums of encoded tallies, cohort by cohort. */

import type { Tally } from '../../estimation/tally.ts';
import { addCells, cellsIn, encodeCells } from './cell-codec.ts';

/** Encoded tallies of several cohorts, one after the other. */
export interface PackedTallies {
  readonly cohorts: ArrayLike<number>;
  /** The reports of each. */
  readonly reports: ArrayLike<number>;
  /** The length in bytes of the cells of each. */
  readonly lengths: ArrayLike<number>;
  readonly cells: Uint8Array;
}

/** Tallies by cohort, to which others are added. */
export class TallySums {
  readonly tallies: Map<number, { reports: number; readonly cells: Float64Array }> = new Map<number, Tally>();
  reports = 0;

  /** @throws {RangeError} when they are not tallies of equally many cells */
  add({ cohorts, reports, lengths, cells }: PackedTallies): void {
    for (let [i, at] = [0, 0]; i < cohorts.length; i++) {
      const end = at + (lengths[i] as number);
      const cohort = cohorts[i] as number;
      let tally = this.tallies.get(cohort);
      if (tally === undefined) {
        tally = { reports: 0, cells: new Float64Array(cellsIn(cells, at, end)) };
        this.tallies.set(cohort, tally);
      }
      addCells(cells, tally.cells, at, end);
      at = end;
      tally.reports += reports[i] as number;
      this.reports += reports[i] as number;
    }
  }

  /** The sums as tallies to be added elsewhere. */
  packed(): PackedTallies {
    const all = [...this.tallies];
    const encoded = all.map(([, { cells }]) => encodeCells(cells));
    return {
      cohorts: Float64Array.from(all, ([cohort]) => cohort),
      reports: Float64Array.from(all, ([, { reports }]) => reports),
      lengths: Uint32Array.from(encoded, ({ length }) => length),
      cells: Buffer.concat(encoded),
    };
  }
}
