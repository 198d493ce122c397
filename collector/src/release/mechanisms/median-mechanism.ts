/**
 * The median mechanism, for a stream of counting queries over few cells: Roth and Roughgarden 2010, "Interactive Privacy via the Median
 * Mechanism". A query is guessed as the median of its answers on all small databases that agree with what was published.
 *
 * The frame is interactive.ts. It replaces their random threshold and its (ε, δ) by a pure ε with small constants, as Gupta, Roth, Ullman
 * 2012, "Iterative Constructions and Private Data Release", do (§4.3). When a query is hard, the true answer is on one side of the median,
 * and its noisy answer shows on which. The databases that are not on that side are dropped: at least half of them. One database errs by at
 * most γ₀ = N √(ln(2k)/(2m)) on all k queries (queries.ts). It is never dropped if hard queries' guesses err by more than γ₀, and
 * the noisy answer is on the right side if they err by more than λ₃. So γ = max(γ₀, λ₃) + 2, with 1 for the rounded guess, and at most
 * log₂(number of databases) queries are hard; c is one more, so that the session lasts. Enumeration is the price: at most 10^6 databases,
 * and so few records that γ₀ is some tenths of N. Name `hard` for a γ of 0: the smaller error that is then stated holds for every answer
 * until the session ends. Above 10^6 databases use private multiplicative weights.
 *
 * Let the published number n be off by at most δ, and D scaled to n records. Scaling moves an answer by at most δ, so the good database errs
 * by at most γ₀ + δ on D, with γ₀ for n records, and γ = max(γ₀ + δ, λ₃) + 2.
 */

import {
  assertTotals,
  assertUseful,
  type Design,
  type Guesses,
  type Interactive,
  interactive,
  interactiveBound,
  type StreamOptions,
} from './interactive.ts';
import {
  assertEnumerable,
  type CountingQuery,
  databasesOf,
  enumerateDatabases,
  MOST_DATABASES,
  queryAnswerOf,
  samplingError,
} from './queries.ts';

/** The databases that are left, by their places in the enumeration. */
function guessesOf(databases: Uint8Array, left: Uint32Array, cells: number, records: number, total: number): Guesses {
  const answersTo = (query: CountingQuery): Uint8Array =>
    Uint8Array.from(left, (place) => queryAnswerOf(query, databases.subarray(place * cells, (place + 1) * cells)));
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

/** Cells, and bytes of all databases, at most: they are held while a session is. */
const MOST_CELLS = 1_000;
const MOST_BYTES = 2 ** 26;

/** True if so many records can be enumerated. */
const isSmall = (cells: number, records: number): boolean =>
  databasesOf(cells, records) <= MOST_DATABASES && databasesOf(cells, records) * cells <= MOST_BYTES;

/** The design for m records. */
function designOf(of: StreamOptions, records: number): MedianDesign {
  const near = samplingError(records, of.queries) * of.total + (of.off ?? 0);
  const hard = Math.floor(Math.log2(databasesOf(of.cells, records))) + 1;
  return { ...of, records, hard, gap: (answering) => Math.ceil(Math.max(near, answering)) + 2 };
}

/** A design, and m. */
type MedianDesign = Design & { readonly records: number };

/** The design with the least stated error, among those whose databases can be enumerated. @throws {RangeError} when none can */
export function medianDesign(of: StreamOptions & { readonly records?: number }): MedianDesign {
  assertEnumerable(of.cells, of.records ?? 1, 'privateWeights');
  if (of.records !== undefined) return designOf(of, of.records);
  if (of.cells > MOST_CELLS)
    throw new RangeError(`median mechanism: expected at most ${MOST_CELLS} cells, got ${of.cells}; use privateWeights instead`);
  let best = designOf(of, 1);
  for (let records = 2; records <= 255 && isSmall(of.cells, records); records++) {
    const design = designOf(of, records);
    if (interactiveBound(design) < interactiveBound(best)) best = design;
  }
  return best;
}

/**
 * The median mechanism.
 *
 * @throws {RangeError} if more than 10^6 databases would have to be enumerated, or `hard` is not named and the stated error is not below
 * the number of records
 */
export function medianMechanism(
  of: StreamOptions & { readonly records?: number; readonly hard?: number },
): Interactive & { readonly records: number } {
  const { cells, hard, released = of.total } = of;
  assertTotals('median mechanism', of, 2 ** 32);
  const promising = medianDesign(of);
  const { records } = promising;
  const design = hard === undefined ? promising : { ...promising, hard, gap: () => 0 };
  if (hard === undefined) assertUseful('median mechanism', design);
  const databases = enumerateDatabases(cells, records);
  const all = Uint32Array.from({ length: databases.length / cells }, (_, place) => place);
  const guesses = guessesOf(databases, all, cells, records, released);
  return { ...interactive({ ...design, name: 'median mechanism', guesses }), records };
}
