/**
 * Private multiplicative weights, for a stream of counting queries over many cells: Hardt and Rothblum 2010, "A Multiplicative Weights
 * Mechanism for Privacy-Preserving Data Analysis". A query is guessed from weights of the cells that learn from hard queries.
 *
 * The frame is interactive.ts. After a hard query, the weights learn from its noisy answer and again from all older ones, as in MWEM
 * (multiplicative-weights.ts). Every hard query whose guess errs by at least γ lowers Ψ by (γ² - u λ₃²)/(4N²) in the mean, all u updates
 * that belong to it counted. Ψ begins at ln(cells) at most and is never negative, so fewer than c queries are hard, and the session lasts,
 * if
 *   γ > √(4N² ln(cells)/c + u λ₃²)
 * c is chosen by the least stated error. At ε = 1, with 1,000 queries over 1,024 cells, that is 3/4 of N for 10^5 records and 1/4 for 10^7.
 * A design that states N or more is refused. Name `hard` instead: γ is then 0 and the stated error smaller. It holds for every answer until
 * the session ends, but nothing promises how many queries that takes.
 */

import { type Guesses, type Interactive, interactive, interactiveBound } from './interactive.ts';
import { evenWeights, learnedFrom, updatesEach } from './multiplicative-weights.ts';
import { answerOf, type Measurement } from './queries.ts';
import { assertWhole } from './spending.ts';
import { assertUseful, type Design, type StreamOptions } from './streams.ts';

/** More hard queries than this never have the least error for fewer than 10^9 records. */
const MOST_HARD = 2000;

function guessesOf(weights: Float64Array, known: readonly Measurement[], total: number): Guesses {
  return {
    guess: (query) => answerOf(query, weights),
    learned: (query, value) => {
      const all = [...known, { query, value }];
      return guessesOf(learnedFrom(weights, all, total), all, total);
    },
  };
}

/** The design for c hard queries. */
function designOf(of: StreamOptions, hard: number): Design {
  const learning = (4 * of.total ** 2 * Math.log(of.cells)) / hard;
  return { ...of, hard, gap: (answering) => Math.floor(Math.sqrt(learning + updatesEach(hard) * answering ** 2)) + 2 };
}

/** The design of the least stated error. */
function bestDesign(of: StreamOptions): Design {
  let best = designOf(of, 1);
  for (let hard = 2; hard <= MOST_HARD; hard = Math.ceil(hard * 1.1)) {
    const design = designOf(of, hard);
    if (interactiveBound(design) < interactiveBound(best)) best = design;
  }
  assertUseful('private multiplicative weights', best);
  return best;
}

/**
 * Private multiplicative weights.
 *
 * @throws {RangeError} if `hard` is not named and the stated error is not below the number of records
 */
export function privateWeights(of: StreamOptions & { readonly hard?: number }): Interactive {
  const { cells, total, hard } = of;
  assertWhole(total, 'private multiplicative weights: the number of records', 1, 2 ** 40);
  assertWhole(cells, 'private multiplicative weights: the number of cells', 2);
  const design = hard === undefined ? bestDesign(of) : { ...of, hard, gap: () => 0 };
  return interactive({ ...design, name: 'private multiplicative weights', guesses: guessesOf(evenWeights(cells, total), [], total) });
}
