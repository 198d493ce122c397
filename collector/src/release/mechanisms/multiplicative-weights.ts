/**
 * Multiplicative weights over the cells of a table: what MWEM and private multiplicative weights have in common. Hardt, Ligett, McSherry
 * 2012, "A Simple and Practical Algorithm for Differentially Private Data Release", §2; Hardt and Rothblum 2010. It computes from published
 * numbers only, so floating-point is harmless.
 *
 * Weights A sum to N. After a query q was measured as m, cells of q are multiplied by e^((m - A(q)) / (2N)), and A is scaled to N again. Let
 * D be the true table, with N records, and Ψ = Σ D/N ln(D/A) its relative entropy, at most ln(cells) for even weights. Then (ibid., §2.2)
 *   Ψ falls by at least ((A(q) - D(q)) / 2N)² - ((m - D(q)) / 2N)²
 */

import { answerOf, type CountingQuery } from './queries.ts';

/** A measured query. */
export interface Measurement {
  readonly query: CountingQuery;
  readonly value: number;
}

/** Even weights. */
export const evenWeights = (cells: number, total: number): Float64Array => new Float64Array(cells).fill(total / cells);

/** The weights after cells of a query were multiplied by e^step. */
export function reweighed(weights: Float64Array, query: CountingQuery, step: number, total: number): Float64Array {
  const next = weights.slice();
  const factor = Math.exp(step);
  for (const cell of query) next[cell] = (next[cell] as number) * factor;
  let sum = 0;
  for (const weight of next) sum += weight;
  for (let i = 0; i < next.length; i++) next[i] = ((next[i] as number) * total) / sum;
  return next;
}

/** The weights after one measurement. */
export const measured = (weights: Float64Array, { query, value }: Measurement, total: number): Float64Array =>
  reweighed(weights, query, (value - answerOf(query, weights)) / (2 * total), total);
