/**
 * The share of reports with some values, in each group: the quotient A / (A + B) of the noisy numbers of reports with and without them. Its
 * sensitivity has no bound, since one report is all of a small group. But rows with and without the values are disjoint, so noise for both
 * numbers costs ε once, and the quotient is computed from what is released.
 *
 * Law: A + Z and B + Z' with two-sided geometric noise for the bound of the rows; the value is the quotient of both, negative ones taken as 0,
 * and 1/2 if both are.
 * Interval: with a probability of at least 1 - β both Z and Z' are at most λ, the bound for two cells. Then A and B lie within λ of what was
 * released, and the share between the quotients of the least A and the most B, and of the most A and the least B.
 * Before: with n = A + B > 2λ, the value is off by |(1-p) Z - p Z'| / (n + Z + Z'), which is at most λ / (n - 2λ).
 *
 * Sample and aggregate errs more here, whatever the number of reports is (docs/release-mechanisms.md).
 */

import type { Ratio } from '@murmuration/shared';
import { cells } from '../mechanisms/cells.ts';
import { geometric } from '../mechanisms/geometric.ts';
import type { Column } from '../table/columns.ts';
import { groupingOf } from './grouping.ts';
import { BETA, type Prepared } from './measured.ts';
import type { Share } from './question.ts';
import type { Resolved } from './resolve.ts';

/** A share, and the interval that holds it. */
export interface Quotient {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const part = (of: number, rest: number, none: number): number => (of + rest > 0 ? of / (of + rest) : none);

/** The share of `of` among both, each of which is off by at most `within`. */
export function quotient(of: number, rest: number, within: number): Quotient {
  const least = (count: number): number => Math.max(0, count - within);
  const most = (count: number): number => Math.max(0, count + within);
  return {
    value: part(Math.max(0, of), Math.max(0, rest), 1 / 2),
    low: part(least(of), most(rest), 0),
    high: part(most(of), least(rest), 1),
  };
}

/** Shares with their error. */
export function share(resolved: Resolved, { column, values, groupBy = [], about }: Share, epsilon: Ratio): Omit<Prepared, 'measure'> {
  const grouping = groupingOf(resolved, groupBy);
  const noise = geometric({ epsilon, sensitivity: resolved.bound });
  const several = cells(noise, 2 * grouping.size);
  const within = cells(noise, 2).accuracy(BETA);
  const { of } = resolved.table.columns.get(column) as Column;
  const wanted = new Set(values);
  return {
    error: {
      mechanism: 'quotient of geometric cells',
      sensitivity: noise.sensitivity,
      within: about > 2 * within ? Math.min(1, within / (about - 2 * within)) : 1,
    },
    answer: (rows, random) => {
      const [having, others] = [true, false].map((isWanted) => grouping.countsOf(rows.filter((row) => wanted.has(of(row)) === isWanted)));
      const released = several.release([...(having as readonly number[]), ...(others as readonly number[])], random);
      const shares = Array.from({ length: grouping.size }, (_, i) =>
        quotient(released[i] as number, released[i + grouping.size] as number, within),
      );
      return { cells: grouping.cellsOf(shares.map(({ value }) => value)).map((cell, i) => ({ ...cell, ...(shares[i] as Quotient) })) };
    },
  };
}
