/**
 * A synthetic table that answers all marginals up to two columns, without knowing the number of records: BLR where databases can be
 * enumerated (blr.ts), else MWEM (mwem.ts).
 *
 * Law: with ε in fifths, three releases one after the other, so ε in all (sequential composition).
 * 1. ε/5: the number of records N with two-sided geometric noise, as n, at least 1.
 * 2. 3ε/5: the table A, by BLR or MWEM for the total n.
 * 3. ε/5: the largest error of A, rounded up, max_q ⌈|q(D) - A(q)|⌉, with two-sided geometric noise. One unit of privacy changes each q(D)
 *    by at most Δ, a whole number, so the maximum by at most Δ. Adding λ with P(noise < -λ) <= β gives a bound on all marginals that holds
 *    with probability 1 - β. It is far below what the theorems promise.
 *
 * Utility before anything is spent, if n will be released: let |n - N| <= δ and the theorem's bound hold with β/2 each. The theorems take
 * D to have n records. Scaling D to n records moves each q(D) by at most δ. So BLR's bound grows by δ, and MWEM's, in which the measurements
 * err by δ more and every error at the end, by δ (1 + √u). No table of n records errs by more than n + δ, with data or without.
 */

import type { Ratio } from '@murmuration/shared';
import { blr, type ClassOptions } from './blr.ts';
import { geometric } from './geometric.ts';
import type { ReleaseMechanism, Spending } from './mechanism.ts';
import { assertWhole, pure, times } from './mechanism.ts';
import { mwem, roundsFor, updatesEach } from './mwem.ts';
import {
  assertTable,
  cellNoiseError,
  databasesOf,
  MOST_DATABASES,
  marginalsOf,
  queryAnswerOf,
  roundedWeight,
  samplingError,
} from './queries.ts';
import type { Random } from './random.ts';

/** Operations of all passes of MWEM, about a second. Fewer rounds than its default keep to it. */
const MOST_WORK = 2.4e7;
/** The same for the scores of BLR, whose operations are faster: a third of a second. Smaller databases keep to it. */
const MOST_SCORES = 1e8;

/** A published table of marginals. */
interface MarginalTable {
  readonly mechanism: 'BLR' | 'MWEM';
  /** The released number of records, at least 1. */
  readonly total: number;
  /** The weight of each cell, with six decimals. They sum to the total, up to rounding. */
  readonly weights: readonly number[];
  /** With a probability of 1 - β, no marginal is off by more. */
  readonly within: number;
}

/** The error to expect if so many records are released. */
interface MarginalPromise {
  readonly mechanism: 'BLR' | 'MWEM';
  readonly within: number;
}

/** A mechanism whose parameters are chosen. */
export interface MarginalTables extends Spending {
  readonly sensitivity: number;
  readonly promise: (total: number) => MarginalPromise;
  /** The same for noise of ε for each cell, whatever the number of records is. */
  readonly cellNoise: number;
  readonly release: (counts: readonly number[], random: Random) => MarginalTable;
}

type Table = ReleaseMechanism<readonly number[], readonly number[]> & MarginalPromise;

/** The mechanism for a released total. Its `within` is stated for β/2 and a total that is off by at most `off`. */
function tableFor(of: ClassOptions, off: number, beta: number): Table {
  // Smaller databases promise nothing: their sampling error is all of the records.
  let useful = 1;
  while (samplingError(useful, of.queries.length) >= 1) useful++;
  const perDatabase = of.queries.reduce((sum, query) => sum + query.length, 0);
  const isCheap = (records: number): boolean =>
    databasesOf(of.cells, records) <= MOST_DATABASES && databasesOf(of.cells, records) * perDatabase <= MOST_SCORES;
  if (isCheap(useful)) {
    let { records } = blr(of);
    while (records > useful && !isCheap(records)) records--;
    const table = blr({ ...of, records });
    return { ...table, mechanism: 'BLR', within: Math.min(of.total, table.accuracy(beta / 2)) + off };
  }
  const most = Math.max(1, Math.floor(Math.sqrt(MOST_WORK / of.cells)));
  const table = mwem({ ...of, rounds: Math.min(most, roundsFor(of)) });
  const more = off * Math.sqrt(updatesEach(table.rounds));
  return { ...table, mechanism: 'MWEM', within: Math.min(of.total, table.accuracy(beta / 2) + more) + off };
}

/** Synthetic tables with so many values in each column. */
export function marginalTables(of: {
  readonly epsilon: Ratio;
  readonly sensitivity: number;
  readonly sizes: readonly number[];
  readonly beta: number;
}): MarginalTables {
  const { epsilon, sensitivity, sizes, beta } = of;
  assertWhole(sizes.length, 'synthetic table: the number of columns');
  const queries = marginalsOf(sizes);
  const cells = sizes.reduce((product, size) => product * size, 1);
  const part = geometric({ epsilon: times(epsilon, 1, 5), sensitivity });
  const [off, low] = [part.accuracy(beta / 2), part.accuracy(2 * beta)];
  const tableOf = (total: number): Table => tableFor({ epsilon: times(epsilon, 3, 5), sensitivity, cells, total, queries }, off, beta);
  return {
    ...pure(epsilon),
    sensitivity,
    promise: (total) => {
      const { mechanism, within } = tableOf(total);
      return { mechanism, within };
    },
    cellNoise: cellNoiseError(epsilon, sensitivity, queries, beta),
    release: (counts, random) => {
      assertTable(counts, cells);
      const total = Math.max(
        1,
        part.release(
          counts.reduce((sum, count) => sum + count, 0),
          random,
        ),
      );
      const table = tableOf(total);
      const weights = table.release(counts, random).map(roundedWeight);
      const errors = queries.map((query) => Math.ceil(Math.abs(queryAnswerOf(query, counts) - queryAnswerOf(query, weights))));
      const worst = part.release(Math.max(...errors), random);
      return { mechanism: table.mechanism, total, weights, within: Math.max(0, worst + low) };
    },
  };
}
