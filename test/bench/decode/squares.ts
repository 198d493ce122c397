/** All candidates at once by generalized least squares (B of the study): unbiased, with the exact covariance, for lists shorter than cells. */

import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import type { Problem } from '#collector/decoding/decode/cells.ts';

export interface Squares {
  readonly estimate: Float64Array;
  readonly standardError: Float64Array;
}

/** Solves the normal equations. The dispersion is the residuals' mean square. */
export function leastSquares({ places, observed, weights, centred }: Problem): Squares | undefined {
  const { candidates, cohorts, hashes, width } = places;
  const row = cohorts * hashes;
  const total = weights.reduce((sum, each) => sum + each, 0);
  const cell = (at: number): number => Math.floor((at % row) / hashes) * width + (places.places[at] as number);
  const [own, right] = [new Float64Array(candidates), new Float64Array(candidates)];
  const who: number[][] = Array.from(weights, () => []);
  for (let v = 0; v < candidates; v++) {
    for (let at = v * row; at < (v + 1) * row; at++) {
      const i = cell(at);
      if (weights[i] === 0) continue;
      own[v] = (own[v] as number) + (weights[i] as number);
      right[v] = (right[v] as number) + (weights[i] as number) * (centred[i] as number);
      (who[i] as number[]).push(v);
    }
  }
  const gram = Matrix.zeros(candidates, candidates);
  who.forEach((list, i) => {
    for (const v of list) for (const u of list) gram.set(v, u, gram.get(v, u) + (weights[i] as number));
  });
  for (let v = 0; v < candidates; v++) {
    for (let u = 0; u < candidates; u++) gram.set(v, u, gram.get(v, u) - ((own[v] as number) * (own[u] as number)) / total);
  }
  const factor = new CholeskyDecomposition(gram);
  if (!factor.isPositiveDefinite()) return undefined;
  const estimate = Float64Array.from(factor.solve(Matrix.columnVector(right)).to1DArray());
  const inverse = factor.solve(Matrix.eye(candidates));
  let explained = 0;
  let squares = 0;
  for (let i = 0; i < weights.length; i++) squares += (weights[i] as number) * (centred[i] as number) ** 2;
  for (let v = 0; v < candidates; v++) explained += (estimate[v] as number) * (right[v] as number);
  const dispersion = (squares - explained) / (observed.live - 1 - candidates);
  return { estimate, standardError: estimate.map((_, v) => Math.sqrt(dispersion * inverse.get(v, v))) };
}
