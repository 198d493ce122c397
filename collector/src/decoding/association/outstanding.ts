/** The pairs of a table that are more or less frequent than its sums say, when all are tested together. */

import { Matrix } from 'ml-matrix';
import { chiSquaredTail } from '../../estimation/statistics/chi-squared.ts';
import { weighted } from './sums.ts';

/** The level at which pairs stand out. */
const LEVEL = 0.05;

/** The p-value of a z-score against values above 0. */
export const above = (z: number): number => (z > 0 ? chiSquaredTail(z * z, 1) / 2 : 1);

/** The pairs of a table that differ from the product of its sums, with their p-values. */
function differing(table: Matrix, covariance: Matrix): readonly { readonly at: number; readonly z: number }[] {
  const width = table.columns;
  const all = table.sum();
  const [rows, columns] = [table.sum('row'), table.sum('column')];
  return table.to1DArray().map((share, at) => {
    const [s, l] = [Math.floor(at / width), at % width];
    const [row, column] = [rows[s] as number, columns[l] as number];
    const slope = Matrix.columnVector(
      Array.from({ length: table.rows * width }, (_, i) => {
        const [sameRow, sameColumn] = [Math.floor(i / width) === s ? 1 : 0, i % width === l ? 1 : 0];
        return sameRow * sameColumn - (sameRow * column) / all - (sameColumn * row) / all + (row * column) / all ** 2;
      }),
    );
    return { at, z: (share - (row * column) / all) / Math.sqrt(weighted(slope, covariance)) };
  });
}

/** Those that stand out when all are tested together (Holm 1979). */
export function outstandingOf(table: Matrix, covariance: Matrix): readonly { readonly at: number; readonly isMore: boolean }[] {
  const sorted = differing(table, covariance)
    .map(({ at, z }) => ({ at, isMore: z > 0, p: 2 * above(Math.abs(z)) }))
    .sort((a, b) => a.p - b.p);
  const end = sorted.findIndex(({ p }, i) => p > LEVEL / (sorted.length - i));
  return end < 0 ? sorted : sorted.slice(0, end);
}
