/**
 * Multiplicative weights over the cells of a table: what MWEM and private multiplicative weights have in common. Hardt, Ligett, McSherry
 * 2012, "A Simple and Practical Algorithm for Differentially Private Data Release", §2; Hardt and Rothblum 2010. It computes from published
 * numbers only, so floating-point is harmless.
 *
 * Weights A sum to N. After a query q was measured as m, cells of q are multiplied by e^((m - A(q)) / (2N)), and A is scaled to N again.
 * Let D be the true table, with N records, and Ψ = Σ D/N ln(D/A) its relative entropy, at most ln(cells) for even weights. Then (ibid.,
 * §2.2)
 *   Ψ falls by at least ((A(q) - D(q)) / 2N)² - ((m - D(q)) / 2N)²
 */

import { answerOf, type Measurement } from './queries.ts';

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
    const inside = answerOf(query, weights);
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
