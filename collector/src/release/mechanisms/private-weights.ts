/**
 * Private multiplicative weights, for a stream of counting queries over many cells: Hardt and Rothblum 2010, "A Multiplicative Weights
 * Mechanism for Privacy-Preserving Data Analysis". A query is guessed from weights of the cells that learn from hard queries.
 *
 * The frame is interactive.ts. When a query is hard, the weights of its cells are multiplied by e^η if its noisy answer is above the guess,
 * by e^-η if below, η = γ/(2N). If the guess errs by at least γ and the side is right, the relative entropy Ψ of the true table falls by at
 * least γη/N - η² = γ²/(4N²). It begins at ln(cells) at most, so there are at most 4N² ln(cells)/γ² such queries, and c of them suffice if
 *   γ >= 2N √(ln(cells)/c), and γ > λ₃ for the side (with 2 for the rounded guess)
 * c is chosen by the least stated error.
 */

import { type Guesses, type Interactive, type InteractiveOptions, interactive, interactiveBound } from './interactive.ts';
import type { StreamOptions } from './median-mechanism.ts';
import { evenWeights, reweighed } from './multiplicative-weights.ts';
import { answerOf } from './queries.ts';
import { assertWhole } from './spending.ts';

/** More hard queries than this never have the least error for fewer than 10^9 records. */
const MOST_HARD = 2000;

function guessesOf(weights: Float64Array, step: number, total: number): Guesses {
  return {
    guess: (query) => answerOf(query, weights),
    learned: (query, answer) => {
      const side = answer > answerOf(query, weights) ? step : -step;
      return guessesOf(reweighed(weights, query, side, total), step, total);
    },
  };
}

/** The design for c hard queries. */
function designOf(of: StreamOptions, hard: number): Omit<InteractiveOptions, 'name' | 'guesses'> {
  const learning = 2 * of.total * Math.sqrt(Math.log(of.cells) / hard);
  return { ...of, hard, gap: (answering) => Math.ceil(Math.max(learning, answering)) + 2 };
}

/** Private multiplicative weights. */
export function privateWeights(of: StreamOptions & { readonly hard?: number }): Interactive {
  const { cells, total } = of;
  assertWhole(total, 'private multiplicative weights: the number of records', 1, 2 ** 40);
  assertWhole(cells, 'private multiplicative weights: the number of cells', 2);
  let hard = of.hard ?? 1;
  let least = interactiveBound(designOf(of, hard), 0.05);
  for (let c = 2; of.hard === undefined && c <= MOST_HARD; c = Math.ceil(c * 1.1)) {
    const bound = interactiveBound(designOf(of, c), 0.05);
    if (bound < least) [hard, least] = [c, bound];
  }
  const step = Math.sqrt(Math.log(cells) / hard);
  const guesses = guessesOf(evenWeights(cells, total), step, total);
  return interactive({ ...designOf(of, hard), name: 'private multiplicative weights', guesses });
}
