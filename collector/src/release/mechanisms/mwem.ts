/**
 * MWEM: a synthetic table for a class of counting queries where the cells are too many for BLR. Hardt, Ligett, McSherry 2012, "A Simple and
 * Practical Algorithm for Differentially Private Data Release".
 *
 * Law: in each of T rounds, permute-and-flip selects with ε/(2T) the query on which the weights A err most, by the score
 * |q(D) - round(A(q))|, whose sensitivity is Δ. Two-sided geometric noise with ε/(2T) measures it as m. The weights then learn from it, and
 * again from all older measurements. Rounds compose to ε. The result is the A of the round with the least
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
import { assertWhole, pure, type ReleaseMechanism, times, toDouble } from './mechanism.ts';
import { permuteAndFlip } from './permute-and-flip.ts';
import { assertQuery, assertTable, type Measurement, queryAnswerOf } from './queries.ts';

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
      const truths = queries.map((query) => queryAnswerOf(query, counts));
      const known: Measurement[] = [];
      let weights = evenWeights(cells, total);
      let [best, least] = [weights, Number.POSITIVE_INFINITY];
      for (let round = 0; round < rounds; round++) {
        const scores = queries.map((query, i) => Math.abs((truths[i] as number) - Math.round(queryAnswerOf(query, weights))));
        const chosen = select.release(scores, random);
        const query = queries[chosen] as readonly number[];
        const value = measure.release(truths[chosen] as number, random);
        known.push({ query, value });
        const distance = Math.abs(value - queryAnswerOf(query, weights));
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

/*
 * Multiplicative weights over the cells of a table: what MWEM and private multiplicative weights have in common. Hardt, Ligett, McSherry
 * 2012, "A Simple and Practical Algorithm for Differentially Private Data Release", §2; Hardt and Rothblum 2010. It computes from published
 * numbers only, so floating-point is harmless.
 *
 * Weights A sum to N. After a query q was measured as m, cells of q are multiplied by e^((m - A(q)) / (2N)), and A is scaled to N again.
 * Let D be the true table, with N records, and Ψ = Σ D/N ln(D/A) its relative entropy, at most ln(cells) for even weights. Then (ibid.,
 * §2.2)
 *   Ψ falls by at least ((A(q) - D(q)) / 2N)² - ((m - D(q)) / 2N)²
 */

/** Even weights. */
export const evenWeights = (cells: number, total: number): Float64Array => new Float64Array(cells).fill(total / cells);

/** Scales weights to a total. */
function scale(weights: Float64Array, total: number): void {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i] as number;
  for (let i = 0; i < weights.length; i++) weights[i] = ((weights[i] as number) * total) / sum;
}

/** Updates after which weights are scaled. In between they only keep their sum, so that an update costs as much as its query is long. */
const SCALED_EVERY = 100;

/** Changes weights by measurements, one after the other. */
function update(weights: Float64Array, measurements: readonly Measurement[], total: number): void {
  let sum = total;
  measurements.forEach(({ query, value }, i) => {
    const inside = queryAnswerOf(query, weights);
    const factor = Math.exp((value - (inside * total) / sum) / (2 * total));
    for (const cell of query) weights[cell] = (weights[cell] as number) * factor;
    sum += (factor - 1) * inside;
    if ((i + 1) % SCALED_EVERY !== 0) return;
    scale(weights, total);
    sum = total;
  });
  scale(weights, total);
}

/** The weights after one measurement. */
export function measured(weights: Float64Array, measurement: Measurement, total: number): Float64Array {
  const next = weights.slice();
  update(next, [measurement], total);
  return next;
}

/** Passes over all measurements after each new one (MWEM, §3.3). They are computed from published numbers, so they spend nothing. */
const PASSES = 10;

/** The weights after a new measurement, the last of all that are known, and passes over all of them. */
export function learnedFrom(weights: Float64Array, known: readonly Measurement[], total: number): Float64Array {
  const next = measured(weights, known.at(-1) as Measurement, total);
  for (let pass = 0; pass < PASSES; pass++) update(next, known, total);
  return next;
}

/** The most updates for each of so many measurements, in the mean: each may raise Ψ by (λ/2N)² if it errs by λ. */
export const updatesEach = (measurements: number): number => 1 + (PASSES * (measurements + 1)) / 2;
