/**
 * MWEM: a synthetic table for a class of counting queries where the cells are too many for BLR. Hardt, Ligett, McSherry 2012, "A Simple and
 * Practical Algorithm for Differentially Private Data Release".
 *
 * Law: in each of T rounds, permute-and-flip selects with ε/(2T) the query on which the weights A err most, by the score
 * |q(D) - round(A(q))|, whose sensitivity is Δ. Two-sided geometric noise with ε/(2T) measures it. The weights then learn from it
 * (multiplicative-weights.ts). Rounds compose to ε. The result is the mean of the weights of all rounds before their update.
 *
 * Utility: with probability 1 - β, every selection is within g of the worst error and every measurement within λ, each with β/(2T). Adding
 * up the fall of Ψ over the rounds gives Σ err² <= 4N² ln(cells) + Tλ². A query that was selected errs by at least the worst minus g, and
 * rounding adds 1. The mean of the weights errs at most as the mean of their errors, so every query is within
 *   g + 1 + √(4N² ln(cells)/T + λ²)
 * if D has N records. T is chosen by the least such bound; it is their theorem 2.2 with the constants kept.
 *
 * Each round then repeats the update for older measurements (ibid., §3.3), which spends nothing: only where A(q) is more than 2 λ₀ off, λ₀
 * being λ for β = 0.05. If |m - D(q)| <= λ₀, such an update lowers Ψ too, so the bound holds as it is for β >= 0.05. For a smaller β each
 * repeated update may raise Ψ by (λ/2N)², and the bound counts them all.
 */

import type { ClassOptions } from './blr.ts';
import { geometric } from './geometric.ts';
import type { ReleaseMechanism } from './index.ts';
import { evenWeights, type Measurement, measured } from './multiplicative-weights.ts';
import { permuteAndFlip } from './permute-and-flip.ts';
import { answerOf, assertQuery, assertTable } from './queries.ts';
import { assertWhole, pure, times } from './spending.ts';

const MOST_ROUNDS = 200;

/** Passes over all measurements after each round, and the β of λ₀. */
const [PASSES, BETA] = [10, 0.05];

/** The selection and the measurement of one round out of so many. */
function partsOf({ epsilon, sensitivity, queries }: ClassOptions, rounds: number) {
  const share = times(epsilon, 1, 2 * rounds);
  return {
    select: permuteAndFlip({ epsilon: share, sensitivity, candidates: queries.length }),
    measure: geometric({ epsilon: share, sensitivity }),
  };
}

/** The error that the theorem states. */
function boundOf(of: ClassOptions, rounds: number, beta: number): number {
  const { select, measure } = partsOf(of, rounds);
  const part = beta / (2 * rounds);
  const updates = beta >= BETA ? 1 : 1 + (PASSES * (rounds + 1)) / 2;
  return select.accuracy(part) + 1 + Math.sqrt((4 * of.total ** 2 * Math.log(of.cells)) / rounds + updates * measure.accuracy(part) ** 2);
}

/** The number of rounds with the least stated error. */
function bestRounds(of: ClassOptions): number {
  let [best, error] = [1, boundOf(of, 1, 0.05)];
  for (let rounds = 2; rounds <= MOST_ROUNDS; rounds++) {
    const bound = boundOf(of, rounds, 0.05);
    if (bound < error) [best, error] = [rounds, bound];
  }
  return best;
}

/** Repeats the updates of measurements from which the weights are far. */
function repeated(weights: Float64Array, known: readonly Measurement[], far: number, total: number): Float64Array {
  let now = weights;
  for (let pass = 0; pass < PASSES; pass++) {
    for (const each of known) if (Math.abs(each.value - answerOf(each.query, now)) > far) now = measured(now, each, total);
  }
  return now;
}

/**
 * Releases a synthetic table, as weights of cells that sum to the published number of records. `accuracy` is the largest error over the
 * class.
 */
export function mwem(
  of: ClassOptions & { readonly rounds?: number },
): ReleaseMechanism<readonly number[], readonly number[]> & { readonly rounds: number } {
  const { epsilon, sensitivity, cells, total, queries } = of;
  assertWhole(total, 'MWEM: the number of records', 1, 2 ** 40);
  assertWhole(cells, 'MWEM: the number of cells');
  assertWhole(queries.length, 'MWEM: the number of queries');
  for (const query of queries) assertQuery(query, cells);
  const rounds = of.rounds ?? bestRounds(of);
  assertWhole(rounds, 'MWEM: rounds', 1, 10_000);
  const { select, measure } = partsOf(of, rounds);
  const far = 2 * measure.accuracy(BETA / (2 * rounds));
  return {
    name: 'MWEM',
    ...pure(epsilon),
    sensitivity,
    rounds,
    release: (counts, random) => {
      assertTable(counts, cells);
      const truths = queries.map((query) => answerOf(query, counts));
      const mean = new Float64Array(cells);
      const known: Measurement[] = [];
      let weights = evenWeights(cells, total);
      for (let round = 0; round < rounds; round++) {
        weights.forEach((weight, cell) => {
          mean[cell] = (mean[cell] as number) + weight / rounds;
        });
        const scores = queries.map((query, i) => Math.abs((truths[i] as number) - Math.round(answerOf(query, weights))));
        const chosen = select.release(scores, random);
        known.push({ query: queries[chosen] as readonly number[], value: measure.release(truths[chosen] as number, random) });
        weights = repeated(measured(weights, known.at(-1) as Measurement, total), known, far, total);
      }
      return [...mean];
    },
    accuracy: (beta) => boundOf(of, rounds, beta),
  };
}
