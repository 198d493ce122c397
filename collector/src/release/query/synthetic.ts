/**
 * A synthetic table over some columns, which answers all marginals up to two of them. It is refused where noise for each cell is stated to
 * err no more: then a count with groupBy over the same columns is the better table.
 */

import type { Ratio } from '@murmuration/shared';
import { marginalTables } from '../mechanisms/marginal-table.ts';
import { groupingOf } from './grouping.ts';
import { BETA, type Prepared } from './measured.ts';
import type { Synthetic } from './question.ts';
import type { Resolved } from './resolve.ts';

/** @throws {RangeError} when noise for each cell errs no more */
export function synthetic(resolved: Resolved, { columns, about }: Synthetic, epsilon: Ratio): Omit<Prepared, 'measure'> {
  const grouping = groupingOf(resolved, columns);
  const sizes = grouping.columns.map(({ values }) => values.length);
  const mechanism = marginalTables({ epsilon, sensitivity: resolved.bound, sizes, beta: BETA });
  const promise = mechanism.promise(about);
  if (promise.within >= mechanism.cellNoise)
    throw new RangeError(
      `synthetic: expected a table whose stated error is below that of noise for each cell, ${Math.ceil(mechanism.cellNoise)}; use count with ` +
        `group-by ${columns.join(', ')} instead, got ${Math.ceil(promise.within)} for ${about} reports in ${grouping.size} cells`,
    );
  return {
    error: { mechanism: promise.mechanism, sensitivity: mechanism.sensitivity, within: promise.within },
    answer: (rows, random) => {
      const { weights, ...table } = mechanism.release(grouping.countsOf(rows), random);
      return { cells: grouping.cellsOf(weights), table };
    },
  };
}
