/**
 * The scores of the square wave's outputs: the best linear unbiased estimate of any mean weight for evenly spread numbers (Gauss-Markov, in
 * Aitken's form). It is unbiased whatever the numbers are. The law is in shared/src/mechanisms/square-wave.ts.
 *
 * With F_e the share below edge e of the d cells, F_e = 0 up to e = 0 and 1 from e = d on, the share y_j of output j has
 *   E z_j = F_{j+1} - F_{j+1-L},  z = (y - q) / (p - q)
 * and a mean weight is w_{d-1} + Σ_e g_e F_e, g_e = w_{e-1} - w_e, over the inner edges e = 1 .. d - 1. Least squares with weights W_j = 1
 * / E y_j, E y for an even distribution, solves M F^ = Cᵀ W (z - c). Row j of C is +1 at edge j + 1 and -1 at j + 1 - L, where these are
 * inner edges, and c_j is 1 where j + 1 >= d. So the score of a report with output j is
 *   t(j) = w_{d-1} + W_j u_j / (p - q) - Σ_i W_i u_i (q / (p - q) + c_i),  u = C v,  M v = g
 * M = Cᵀ W C only couples edges that are L apart. It is tridiagonal in each class of edges modulo L, so computing scores takes a number of
 * steps proportional to d + L.
 */

import { MODULUS, type SquareWaveLaw } from '@murmuration/shared';

/** p and q of a law: P(an output in the window), P(another output). */
export const chancesOf = ({ grid, window, inside }: SquareWaveLaw): { readonly p: number; readonly q: number } => ({
  p: inside / (MODULUS * window),
  q: (MODULUS - inside) / (MODULUS * grid),
});

/** Maps a weight for each cell to the score of each output. */
export function squareWaveScores(law: SquareWaveLaw): (weights: ArrayLike<number>) => Float64Array {
  const { grid, window } = law;
  const { p, q } = chancesOf(law);
  const [cells, outputs] = [grid + 1, grid + window];
  // W: for an even distribution, windows are cut off at both ends.
  const weight = Float64Array.from({ length: outputs }, (_, j) => {
    const held = Math.min(cells, j + 1) - Math.max(0, j + 1 - window);
    return 1 / (q + ((p - q) * held) / cells);
  });
  // M = U D Uᵀ by classes: `joined[e]` is the entry of M between edges e - L and e, divided by the pivot of e - L.
  const [pivot, joined] = [new Float64Array(cells), new Float64Array(cells + window)];
  for (let edge = 1; edge < cells; edge++) {
    const own = weight[edge - 1] as number;
    pivot[edge] = own + (weight[edge - 1 + window] as number);
    if (edge <= window) continue;
    joined[edge] = -own / (pivot[edge - window] as number);
    pivot[edge] = (pivot[edge] as number) + own * (joined[edge] as number);
  }
  return (weights) => {
    const v = new Float64Array(cells + window); // 0 at edges that are not inner edges
    for (let edge = 1; edge < cells; edge++) {
      const step = (weights[edge - 1] as number) - (weights[edge] as number);
      v[edge] = edge > window ? step - (joined[edge] as number) * (v[edge - window] as number) : step;
    }
    for (let edge = cells - 1; edge > 0; edge--) {
      v[edge] = (v[edge] as number) / (pivot[edge] as number) - (joined[edge + window] as number) * (v[edge + window] as number);
    }
    let constant = weights[cells - 1] as number;
    const scores = new Float64Array(outputs);
    for (let j = 0; j < outputs; j++) {
      const from = j + 1 - window;
      const above = j + 1 < cells ? (v[j + 1] as number) : 0;
      const share = (weight[j] as number) * (above - (from > 0 ? (v[from] as number) : 0));
      scores[j] = share / (p - q);
      constant -= share * (q / (p - q) + (j + 1 < cells ? 0 : 1));
    }
    return scores.map((score) => score + constant);
  };
}
