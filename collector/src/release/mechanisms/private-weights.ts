/**
 * Private multiplicative weights, for a stream of counting queries over many cells: Hardt and Rothblum 2010, "A Multiplicative Weights
 * Mechanism for Privacy-Preserving Data Analysis". A query is guessed from weights of the cells that learn from hard queries.
 *
 * The frame is interactive.ts. After a hard query, the weights learn from its noisy answer and again from all older ones, as in MWEM
 * (mwem.ts). Every hard query whose guess errs by at least γ lowers Ψ by (γ² - u λ₃²)/(4N²) in the mean, all u updates
 * that belong to it counted. Ψ begins at ln(cells) at most and is never negative, so fewer than c queries are hard, and the session lasts,
 * if
 *   γ > √(4N² ln(cells)/c + u λ₃²)
 * c is chosen by the least stated error. At ε = 1, with 1,000 queries over 1,024 cells, that is 3/4 of N for 10^5 records and 1/4 for 10^7.
 * A design that states N or more is refused. Name `hard` instead: γ is then 0 and the stated error smaller. It holds for every answer until
 * the session ends, but nothing promises how many queries that takes.
 *
 * Let the published number n be off by at most δ, and D scaled to n records. Scaling moves an answer by at most δ. So a hard query's guess
 * errs by at least γ - δ on the scaled table, its noisy answer by at most λ₃ + δ, and the promise holds if
 *   γ > δ + √(4n² ln(cells)/c + u (λ₃ + δ)²)
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
import { assertWhole } from './mechanism.ts';
import { evenWeights, learnedFrom, updatesEach } from './mwem.ts';
import { type Measurement, queryAnswerOf } from './queries.ts';

/** More hard queries than this never have the least error for fewer than 10^9 records. */
const MOST_HARD = 2000;

function guessesOf(weights: Float64Array, known: readonly Measurement[], total: number): Guesses {
  return {
    guess: (query) => queryAnswerOf(query, weights),
    learned: (query, value) => {
      const all = [...known, { query, value }];
      return guessesOf(learnedFrom(weights, all, total), all, total);
    },
  };
}

/** The design for c hard queries. */
function designOf(of: StreamOptions, hard: number): Design {
  const learning = (4 * of.total ** 2 * Math.log(of.cells)) / hard;
  const { off = 0 } = of;
  return { ...of, hard, gap: (answering) => off + Math.floor(Math.sqrt(learning + updatesEach(hard) * (answering + off) ** 2)) + 2 };
}

/** The design of the least stated error, with at most so many hard queries. */
export function weightsDesign(of: StreamOptions, most: number = MOST_HARD): Design {
  let best = designOf(of, 1);
  for (let hard = 2; hard <= most; hard = Math.ceil(hard * 1.1)) {
    const design = designOf(of, hard);
    if (interactiveBound(design) < interactiveBound(best)) best = design;
  }
  return best;
}

/**
 * Private multiplicative weights.
 *
 * @throws {RangeError} if `hard` is not named and the stated error is not below the number of records
 */
export function privateWeights(of: StreamOptions & { readonly hard?: number }): Interactive {
  const { cells, hard, released = of.total } = of;
  assertTotals('private multiplicative weights', of, 2 ** 40);
  assertWhole(cells, 'private multiplicative weights: the number of cells', 2);
  const design = hard === undefined ? weightsDesign(of) : { ...of, hard, gap: () => 0 };
  if (hard === undefined) assertUseful('private multiplicative weights', design);
  const guesses = guessesOf(evenWeights(cells, released), [], released);
  return interactive({ ...design, name: 'private multiplicative weights', guesses });
}
