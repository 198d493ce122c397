/**
 * The BLR mechanism: one synthetic table that answers a whole class of counting queries. Blum, Ligett, Roth 2008, "A Learning Theory
 * Approach to Non-Interactive Database Privacy". It selects a small database by the exponential mechanism, here by permute-and-flip.
 *
 * Law: the database S of m records is scored with -max_q |m q(D) - N q(S)|, N the published number of records. One unit of privacy changes
 * q(D) by at most Δ, so a score by at most mΔ, and the law of permute-and-flip.ts spends ε. The result is S, each record N/m times.
 *
 * Utility: some S errs by at most γN on all k queries (queries.ts) if D has N records. Selection adds the bound g of
 * permute-and-flip.ts in units of 1/m. So with probability 1 - β all queries are within γN + g/m, about N^(2/3) for the best m. Enumeration
 * is the price: at most 10^6 databases. Use MWEM (mwem.ts) above that.
 */

import type { Ratio } from '@murmuration/shared';
import type { ReleaseMechanism } from './mechanism.ts';
import { assertWhole } from './mechanism.ts';
import { permuteAndFlip } from './permute-and-flip.ts';
import {
  assertEnumerable,
  assertQuery,
  assertTable,
  type CountingQuery,
  databasesOf,
  enumerateDatabases,
  MOST_DATABASES,
  queryAnswerOf,
  samplingError,
} from './queries.ts';

/** The parameters of mechanisms that answer a class of queries at once. */
export interface ClassOptions {
  readonly epsilon: Ratio;
  readonly sensitivity: number;
  /** The number of cells of the table. */
  readonly cells: number;
  /** The published number of records. */
  readonly total: number;
  readonly queries: readonly CountingQuery[];
}

/** The error that the theorem states for m records. */
function boundOf({ epsilon, sensitivity, cells, total, queries }: ClassOptions, records: number, beta: number): number {
  const candidates = databasesOf(cells, records);
  const { accuracy } = permuteAndFlip({ epsilon, sensitivity: sensitivity * records, candidates });
  return samplingError(records, queries.length) * total + accuracy(beta) / records;
}

/** The number of records with the least stated error, among those that can be enumerated. */
function bestRecords(of: ClassOptions): number {
  let [best, error] = [1, boundOf(of, 1, 0.05)];
  for (let records = 2; records <= 255 && databasesOf(of.cells, records) <= MOST_DATABASES; records++) {
    const bound = boundOf(of, records, 0.05);
    if (bound < error) [best, error] = [records, bound];
  }
  return best;
}

/**
 * Releases a synthetic table, as weights of cells. `accuracy` is the largest error over the class.
 *
 * @throws {RangeError} if more than 10^6 databases would have to be enumerated
 */
export function blr(of: ClassOptions & { readonly records?: number }): ReleaseMechanism<readonly number[], readonly number[]> & {
  readonly records: number;
} {
  const { epsilon, sensitivity, cells, total, queries } = of;
  assertWhole(total, 'BLR: the number of records', 1, 2 ** 32);
  assertWhole(queries.length, 'BLR: the number of queries');
  assertEnumerable(cells, of.records ?? 1, 'mwem');
  for (const query of queries) assertQuery(query, cells);
  const records = of.records ?? bestRecords(of);
  const select = permuteAndFlip({ epsilon, sensitivity: sensitivity * records, candidates: databasesOf(cells, records) });
  return {
    ...select,
    name: 'BLR',
    sensitivity,
    records,
    release: (counts, random) => {
      assertTable(counts, cells);
      const databases = enumerateDatabases(cells, records);
      const database = (i: number): Uint8Array => databases.subarray(i * cells, (i + 1) * cells);
      const truths = queries.map((query) => records * queryAnswerOf(query, counts));
      const scores = Float64Array.from({ length: databases.length / cells }, (_, i) => {
        const own = database(i);
        let worst = 0;
        queries.forEach((query, k) => {
          worst = Math.max(worst, Math.abs((truths[k] as number) - total * queryAnswerOf(query, own)));
        });
        return 0 - worst;
      });
      return Array.from(database(select.release(scores, random)), (count) => (count * total) / records);
    },
    accuracy: (beta) => boundOf(of, records, beta),
  };
}
