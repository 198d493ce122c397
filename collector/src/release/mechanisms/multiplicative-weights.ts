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

/** The weights after one measurement. */
export function measured(weights: Float64Array, { query, value }: Measurement, total: number): Float64Array {
  const next = weights.slice();
  const factor = Math.exp((value - answerOf(query, weights)) / (2 * total));
  for (const cell of query) next[cell] = (next[cell] as number) * factor;
  let sum = 0;
  for (const weight of next) sum += weight;
  for (let i = 0; i < next.length; i++) next[i] = ((next[i] as number) * total) / sum;
  return next;
}

/** Passes over all measurements after each new one (MWEM, §3.3). They are computed from published numbers, so they spend nothing. */
const PASSES = 10;

/** The weights after a new measurement, the last of all that are known, and passes over all of them. */
export function learnedFrom(weights: Float64Array, known: readonly Measurement[], total: number): Float64Array {
  let now = measured(weights, known.at(-1) as Measurement, total);
  for (let pass = 0; pass < PASSES; pass++) for (const each of known) now = measured(now, each, total);
  return now;
}

/** The most updates for each of so many measurements, in the mean: each may raise Ψ by (λ/2N)² if it errs by λ. */
export const updatesEach = (measurements: number): number => 1 + (PASSES * (measurements + 1)) / 2;
