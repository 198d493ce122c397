/**
 * All databases of m records over a few cells, up to the order of records. Among them is one that answers k counting queries nearly as the
 * true database does. A sample of m records errs by more than γ N on some query with a probability of at most 2k e^(-2mγ²) (Hoeffding), so
 * for
 *   γ > √(ln(2k) / (2m))
 * some database of m records errs by at most γ N on all of them (Blum, Ligett, Roth 2008, §3, with Hoeffding's bound). Mechanisms that
 * enumerate databases use this. There are C(cells + m - 1, m) of them, and above 10^6 they are refused.
 */

import { assertWhole } from './spending.ts';

/** The most databases that are enumerated. */
export const MOST_DATABASES = 1_000_000;

/** The number of databases of so many records; a value above the limit may be rounded. */
export function databasesOf(cells: number, records: number): number {
  let ways = 1;
  for (let i = 1; i <= records; i++) ways = (ways * (cells - 1 + i)) / i;
  return ways;
}

/** Throws a RangeError above the limit, and says what can be used instead. */
export function assertEnumerable(cells: number, records: number, instead: string): void {
  assertWhole(cells, 'small databases: the number of cells');
  assertWhole(records, 'small databases: their records');
  const ways = databasesOf(cells, records);
  if (ways > MOST_DATABASES) {
    throw new RangeError(
      `small databases: expected at most ${MOST_DATABASES} of them, got ${ways < 1e15 ? ways : 'more than 10^15'} with ${cells} cells ` +
        `and ${records} records; use ${instead} instead`,
    );
  }
}

/** Every database as its counts of cells, one after another. */
export function enumerateDatabases(cells: number, records: number): Uint8Array {
  assertWhole(records, 'small databases: their records', 1, 255);
  const all = new Uint8Array(databasesOf(cells, records) * cells);
  const current = new Uint8Array(cells);
  let at = 0;
  const fill = (cell: number, left: number): void => {
    if (cell === cells - 1) {
      current[cell] = left;
      all.set(current, at);
      at += cells;
      return;
    }
    for (let count = 0; count <= left; count++) {
      current[cell] = count;
      fill(cell + 1, left - count);
    }
  };
  fill(0, records);
  return all;
}

/** γ of the sampling bound for k queries. */
export const samplingError = (records: number, queries: number): number => Math.sqrt(Math.log(2 * queries) / (2 * records));
