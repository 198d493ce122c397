/**
 * The median mechanism, for a stream of counting queries over few cells: Roth and Roughgarden 2010, "Interactive Privacy via the Median
 * Mechanism". A query is guessed as the median of its answers on all small databases that agree with what was published.
 *
 * The frame is interactive.ts. It replaces their random threshold and its (ε, δ) by a pure ε with small constants, as Gupta, Roth, Ullman
 * 2012, "Iterative Constructions and Private Data Release", do (§4.3). When a query is hard, the true answer is on one side of the median,
 * and its noisy answer shows on which. The databases that are not on that side are dropped: at least half of them. One database errs by at
 * most γ₀ = N √(ln(2k)/(2m)) on all k queries (small-databases.ts). It is never dropped if hard queries' guesses err by more than γ₀, and the
 * noisy answer is on the right side if they err by more than λ₃. So γ = max(γ₀, λ₃) + 2, with 1 for the rounded guess, and at most
 *   c = log₂(number of databases)
 * queries are hard. Enumeration is the price: at most 10^6 databases. Use private multiplicative weights above that.
 */

import type { Ratio } from '@murmuration/shared';
import { type Guesses, type Interactive, type InteractiveOptions, interactive, interactiveBound } from './interactive.ts';
import { answerOf, type CountingQuery } from './queries.ts';
import { assertEnumerable, databasesOf, enumerateDatabases, MOST_DATABASES, samplingError } from './small-databases.ts';
import { assertWhole } from './spending.ts';

/** The parameters of mechanisms for a stream of queries. */
export interface StreamOptions {
  readonly epsilon: Ratio;
  readonly sensitivity: number;
  readonly cells: number;
  /** The published number of records. */
  readonly total: number;
  /** The number of queries for which the error is stated. */
  readonly queries: number;
}

/** The databases that are left, by their places in the enumeration. */
function guessesOf(databases: Uint8Array, left: Uint32Array, cells: number, records: number, total: number): Guesses {
  const answersTo = (query: CountingQuery): Uint8Array =>
    Uint8Array.from(left, (place) => answerOf(query, databases.subarray(place * cells, (place + 1) * cells)));
  /** The lower median, by counting: answers are 0 .. records. */
  const medianOf = (answers: Uint8Array): number => {
    const counts = new Uint32Array(records + 1);
    for (const answer of answers) counts[answer] = (counts[answer] as number) + 1;
    let median = 0;
    for (let below = counts[0] as number; 2 * below < answers.length; below += counts[median] as number) median++;
    return median;
  };
  return {
    guess: (query) => (medianOf(answersTo(query)) * total) / records,
    learned: (query, answer) => {
      const answers = answersTo(query);
      const median = medianOf(answers);
      const above = answer > Math.round((median * total) / records);
      const kept = left.filter((_, i) => (above ? (answers[i] as number) > median : (answers[i] as number) < median));
      // None is left only if the noise, or a wrong total, has dropped the good one: then nothing is learned.
      return guessesOf(databases, kept.length > 0 ? kept : left, cells, records, total);
    },
  };
}

/** The design for m records. */
function designOf(of: StreamOptions, records: number): Omit<InteractiveOptions, 'name' | 'guesses'> {
  const near = samplingError(records, of.queries) * of.total;
  const hard = Math.max(1, Math.floor(Math.log2(databasesOf(of.cells, records))));
  return { ...of, hard, gap: (answering) => Math.ceil(Math.max(near, answering)) + 2 };
}

/**
 * The median mechanism.
 *
 * @throws {RangeError} if more than 10^6 databases would have to be enumerated
 */
export function medianMechanism(of: StreamOptions & { readonly records?: number }): Interactive & { readonly records: number } {
  const { cells, total } = of;
  assertWhole(total, 'median mechanism: the number of records', 1, 2 ** 32);
  assertEnumerable(cells, of.records ?? 1, 'multiplicativeWeights');
  let records = of.records ?? 1;
  const boundAt = (m: number): number => interactiveBound(designOf(of, m), 0.05);
  for (let m = 2; of.records === undefined && m <= 255 && databasesOf(cells, m) <= MOST_DATABASES; m++) {
    if (boundAt(m) < boundAt(records)) records = m;
  }
  const databases = enumerateDatabases(cells, records);
  const all = Uint32Array.from({ length: databases.length / cells }, (_, place) => place);
  const guesses = guessesOf(databases, all, cells, records, total);
  return { ...interactive({ ...designOf(of, records), name: 'median mechanism', guesses }), records };
}
