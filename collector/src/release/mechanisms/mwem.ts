/**
 * MWEM: a synthetic table for a class of counting queries where the cells are too many for BLR. Hardt, Ligett, McSherry 2012, "A Simple and
 * Practical Algorithm for Differentially Private Data Release".
 *
 * Law: in each of T rounds, permute-and-flip selects with ε/(2T) the query on which the weights A err most, by the score
 * |q(D) - round(A(q))|, whose sensitivity is Δ. Two-sided geometric noise with ε/(2T) measures it as m. The weights then learn from it, and
 * again from all older measurements (multiplicative-weights.ts). Rounds compose to ε. The result is the A of the round with the least
 * |m - A(q)|. The paper's mean over the rounds errs about twice as much, because it contains the first ones.
 *
 * Utility: with probability 1 - β, every selection is within g of the worst error and every measurement within λ, each with β/(2T). There
 * are u T updates, of which T have errors err, and Ψ falls from ln(cells) at most to 0 at least. So Σ err² <= 4N² ln(cells) + u T λ². Some
 * round errs by at most the root of their mean, the released one by at most 2λ more on its query, and by g + 1 more on any (1 for
 * rounding):
 *   g + 1 + 2λ + √(4N² ln(cells)/T + u λ²)
 * if D has N records. This is their theorem 2.2 with the constants kept. It is far above what is measured; the least measured errors come
 * with T near (Nε/Δ)^(2/3) / 16 (`npm run bench -- release`), which is the default.
 */

import type { ClassOptions } from './blr.ts';
import { geometric, MOST_PART } from './geometric.ts';
import type { ReleaseMechanism } from './index.ts';
import { evenWeights, learnedFrom, updatesEach } from './multiplicative-weights.ts';
import { permuteAndFlip } from './permute-and-flip.ts';
import { answerOf, assertQuery, assertTable, type Measurement } from './queries.ts';
import { assertWhole, pure, times, toDouble } from './spending.ts';

const MOST_ROUNDS = 200;

/** The selection and the measurement of one round out of so many. */
function partsOf({ epsilon, sensitivity, queries }: ClassOptions, rounds: number) {
  const share = times(epsilon, 1, 2 * rounds);
  return {
    select: permuteAndFlip({ epsilon: share, sensitivity, candidates: queries.length }),
    measure: geometric({ epsilon: share, sensitivity }),
  };
}

/** The default number of rounds: as many that their noise can be drawn exactly, whatever number of records is published. */
export const roundsFor = ({ epsilon, sensitivity, total }: ClassOptions): number => {
  const exact = Number(MOST_PART / (epsilon.denominator * BigInt(2 * sensitivity)));
  return Math.max(1, Math.min(MOST_ROUNDS, exact, Math.round(((total * toDouble(epsilon)) / sensitivity) ** (2 / 3) / 16)));
};

/** Releases a synthetic table: weights of cells that sum to the published number of records. `accuracy` is the class's largest error. */
export function mwem(
  of: ClassOptions & { readonly rounds?: number },
): ReleaseMechanism<readonly number[], readonly number[]> & { readonly rounds: number } {
  const { epsilon, sensitivity, cells, total, queries } = of;
  assertWhole(total, 'MWEM: the number of records', 1, 2 ** 40);
  assertWhole(cells, 'MWEM: the number of cells');
  assertWhole(queries.length, 'MWEM: the number of queries');
  for (const query of queries) assertQuery(query, cells);
  const rounds = of.rounds ?? roundsFor(of);
  assertWhole(rounds, 'MWEM: rounds', 1, 10_000);
  const { select, measure } = partsOf(of, rounds);
  return {
    name: 'MWEM',
    ...pure(epsilon),
    sensitivity,
    rounds,
    release: (counts, random) => {
      assertTable(counts, cells);
      const truths = queries.map((query) => answerOf(query, counts));
      const known: Measurement[] = [];
      let weights = evenWeights(cells, total);
      let [best, least] = [weights, Number.POSITIVE_INFINITY];
      for (let round = 0; round < rounds; round++) {
        const scores = queries.map((query, i) => Math.abs((truths[i] as number) - Math.round(answerOf(query, weights))));
        const chosen = select.release(scores, random);
        const query = queries[chosen] as readonly number[];
        const value = measure.release(truths[chosen] as number, random);
        known.push({ query, value });
        const distance = Math.abs(value - answerOf(query, weights));
        if (distance < least) [best, least] = [weights, distance];
        weights = learnedFrom(weights, known, total);
      }
      return [...best];
    },
    accuracy: (beta) => {
      const part = beta / (2 * rounds);
      const error = measure.accuracy(part);
      const learning = (4 * total ** 2 * Math.log(cells)) / rounds + updatesEach(rounds) * error ** 2;
      return select.accuracy(part) + 1 + 2 * error + Math.sqrt(learning);
    },
  };
}
