/**
 * Cramér's V of two columns: how strongly they go together, from 0 to 1, with the bias of few records removed. Bergsma 2013, "A bias-correction
 * for Cramér's V and Tschuprow's T". With m records, χ² Pearson's statistic, and r and c values that occur:
 *   φ² = max(0, χ²/m - (r-1)(c-1)/(m-1)),  r' = r - (r-1)²/(m-1),  c' = c - (c-1)²/(m-1),  V² = φ² / min(r'-1, c'-1)
 * Without the correction, V of unrelated columns is about √((r-1)(c-1)/m) too large.
 */

/** Counts of a table that are not 0: their cells, row by row, in a table with so many columns. */
export interface SparseTable {
  readonly cells: readonly number[];
  readonly counts: readonly number[];
}

function sumsBy(keys: readonly number[], counts: readonly number[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  keys.forEach((key, i) => void sums.set(key, (sums.get(key) ?? 0) + (counts[i] as number)));
  return sums;
}

/** V of a table. 0 where one of the columns has one value, or there are too few records to tell. */
export function cramersV({ cells, counts }: SparseTable, columns: number): number {
  const [rowOf, columnOf] = [cells.map((cell) => Math.floor(cell / columns)), cells.map((cell) => cell % columns)];
  const [byRow, byColumn] = [sumsBy(rowOf, counts), sumsBy(columnOf, counts)];
  const m = counts.reduce((sum, count) => sum + count, 0);
  const [r, c] = [byRow.size, byColumn.size];
  if (m < 2 || r < 2 || c < 2) return 0;
  // χ²/m = Σ n² / (row · column) - 1, over the cells that are not empty.
  const phi = counts.reduce(
    (sum, count, i) => sum + count ** 2 / ((byRow.get(rowOf[i] as number) as number) * (byColumn.get(columnOf[i] as number) as number)),
    -1,
  );
  const corrected = Math.max(0, phi - ((r - 1) * (c - 1)) / (m - 1));
  const most = Math.min(r - (r - 1) ** 2 / (m - 1), c - (c - 1) ** 2 / (m - 1)) - 1;
  return most <= 0 ? 0 : Math.min(1, Math.sqrt(corrected / most));
}

/**
 * A bound on the mean of V over tables of m records whose columns are unrelated, r and c values of which occur: V² (min(r', c') - 1) is at most
 * the part of χ²/m that lies above its mean. χ² has (r-1)(c-1) degrees of freedom d and so a standard deviation of √(2d), and the mean of the
 * part of a number above its mean is at most half of that. By Jensen's inequality the mean of V is at most the root of the mean of V².
 */
export function unrelatedV(records: number, rows: number, columns: number): number {
  const least = Math.min(rows, columns) - 1;
  const deviation = Math.sqrt(2 * (rows - 1) * (columns - 1));
  return least < 1 ? 0 : Math.min(1, Math.sqrt(deviation / 2 / records / least));
}
