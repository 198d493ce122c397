/**
 * The shares of pairs of a string and an answer, fitted jointly to all cells, with their covariance.
 *
 * A report of cohort j is a debiased vector of k cells. Its mean, for a person with pair c, is the indicator a_jc of the cells that c sets.
 * With x the shares of the listed pairs, Z_j the matrix of columns a_jc - ρ, and strings that are not listed hashed at random (each cell
 * with probability ρ), a cohort's mean report Y_j has
 *   E[Y_j - ρ 1] = Z_j x.
 * Least squares weighted by n_j solves G x = g in closed form,
 *   G = Σ_j n_j Z_jᵀ Z_j,   g = Σ_j n_j Z_jᵀ (Y_j - ρ 1).
 * It is unbiased: over coins, cohorts and people given the hash if every string is listed, and over the hash of the others if not. Unlike
 * the estimate of each pair alone (strings.ts), listed pairs that share cells add nothing to its variance.
 *
 * Given cohorts and hash, reports are independent, so Cov(x) = G⁻¹ V G⁻¹ with V = Σ_j n_j Z_jᵀ S_j Z_j + H. With one hash (Z_jᵀ 1 = 0), the
 * covariance of one report is S_j = diag(d_j + π_j) - π_j π_jᵀ, where π_jb is the share of the cohort's people who have cell b, and d the
 * noise: (π p(1-p) + (1-π) q(1-q)) / (p-q)² of a bit; of a report that is a single cell, E[diag(r) - r rᵀ] / (p-q)² for r = q 1 + (p-q) a,
 * which Z_j turns into (q + (p-q) π) / (p-q)² - π. With h hashes, the h cells of one pair go together, which adds n x_c h (h-1) to V_cc;
 * what two pairs share of two cells, of order ρ², is left out. Strings w that are not listed have a random deviation from ρ, independent in
 * each cohort, which adds H = (Σ_w x_w²) (ρ - ρ₂) Σ_j n_j (n_j - 1) Z_jᵀ Z_j, exact with one hash. Σ_w x_w² is what the residuals have more than the rest predicts,
 *   Σ_j n_j |Y_j - ρ 1 - Z_j x|² = Σ_j tr S_j - tr G⁻¹ V + (Σ_w x_w²) (k ρ (1-ρ) Σ_j (n_j - 1) - (ρ - ρ₂) tr G⁻¹ Σ_j n_j (n_j - 1) Z_jᵀ Z_j).
 *
 * That covariance is about the population from which the reporting people are drawn: (diag x - x xᵀ)/n of it is their sampling, which is
 * counted for as many people as there are (estimate.ts), and left out for the shares among the reports. Where T reports of a device repeat its symbol and
 * cohort, noise and people's part of one report are T times as large, as in pure.ts.
 */

import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import type { CellEvidence } from './evidence.ts';
import { centredSums, groupOf, type Places, products, sumOf, weightsOf } from './pairs.ts';

/** A fit of pairs. */
export interface Fit {
  readonly places: Places;
  /** x, in the order of the pairs. */
  readonly shares: Float64Array;
  readonly solver: CholeskyDecomposition;
  /** n_j (Y_jb - ρ - (Z_j x)_b). */
  readonly residual: Float64Array;
  /** Parameters of the covariance: `spreadOf`. */
  readonly spread: Spread;
}

/** The weights of the covariance, by cell. */
export interface Spread {
  /** n_j (d_jb + T π_jb). */
  readonly own: Float64Array;
  /** n_j π_jb. */
  readonly having: Float64Array;
  /** Σ x_w² (ρ - ρ₂) n_j (n_j - 1), for strings that are not listed. */
  readonly hash: Float64Array;
}

/** n_j π_jb, for the cells of pairs with these shares, and of strings that are not listed. */
function havingOf({ byCell, rho }: CellEvidence, { cells, pairs }: Places, shares: Float64Array): Float64Array {
  const found = new Float64Array(byCell.length).fill((1 - sumOf(shares)) * rho);
  const own = cells.length / Math.max(1, pairs);
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as number;
    if (cell >= 0) found[cell] = (found[cell] as number) + (shares[Math.floor(i / own)] as number);
  }
  for (let i = 0; i < found.length; i++) found[i] = (found[i] as number) * (byCell[i] as number);
  return found;
}

/** The parts of the covariance that coins and people contribute, given true shares. */
export function spreadAt(evidence: CellEvidence, places: Places, shares: Float64Array): Spread {
  const { noise, perDevice, byCell } = evidence;
  const having = havingOf(evidence, places, shares);
  const own = new Float64Array(having.length);
  for (let i = 0; i < having.length; i++) {
    const [reports, mass] = [byCell[i] as number, having[i] as number];
    having[i] = Math.min(reports, Math.max(0, mass));
    own[i] = noise.constant * reports + (noise.slope + perDevice) * (having[i] as number);
  }
  return { own, having, hash: new Float64Array(own.length) };
}

/** V of one group of pairs, by the spread of the whole fit. */
export function variation(evidence: CellEvidence, places: Places, { own, having, hash }: Spread, shares: Float64Array): Matrix {
  const { law, reports, rho, perDevice, total } = evidence;
  const { bits, hashes } = law;
  const weights = weightsOf(own.map((weight, i) => weight + (hash[i] as number)));
  const found = products(groupOf(places, weights, evidence), places, rho)[0] as Matrix;
  // Σ_j n_j t_j t_jᵀ, t_j = Z_jᵀ π_j.
  const means = new Matrix(reports.length, places.pairs);
  const width = places.cells.length / Math.max(1, places.pairs);
  for (let j = 0; j < reports.length; j++) {
    const count = reports[j] as number;
    const all = rho * sumOf(having.subarray(j * bits, (j + 1) * bits));
    for (let c = 0; c < places.pairs; c++) {
      let sum = -all;
      for (let i = 0; i < hashes; i++) {
        const cell = places.cells[c * width + j * hashes + i] as number;
        if (cell >= 0) sum += having[cell] as number;
      }
      means.set(j, c, sum / Math.sqrt(count));
    }
  }
  found.sub(means.transpose().mmul(means).mul(perDevice));
  for (let c = 0; c < places.pairs; c++) {
    const share = Math.min(1, Math.max(0, shares[c] as number));
    found.set(c, c, found.get(c, c) + perDevice * total * share * hashes * (hashes - 1));
  }
  return found;
}

/** Fits pairs to the evidence. At most a quarter as many pairs as cells, or G may be nearly singular. */
export function fitPairs(evidence: CellEvidence, places: Places): Fit {
  const { excess, rho, rhoTwo, total, reports, law, perDevice, byCell } = evidence;
  const { bits } = law;
  const squares = byCell.map((count) => count * (count - 1));
  const group = groupOf(places, weightsOf(byCell, squares), evidence);
  const [gram, gramOfSquares] = products(group, places, rho) as [Matrix, Matrix];
  const solver = new CholeskyDecomposition(symmetric(gram));
  const isEmpty = places.pairs === 0;
  const right = Matrix.columnVector([...centredSums(places, excess, rho)]);
  const shares = Float64Array.from(isEmpty ? [] : solver.solve(right).to1DArray());
  // A cell's mean is ρ + Z x: what the people with pairs of the list have, and the random cells of the others.
  const model = havingOf(evidence, places, shares);
  const residual = new Float64Array(excess.length);
  for (let i = 0; i < residual.length; i++) residual[i] = (excess[i] as number) + rho * (byCell[i] as number) - (model[i] as number);
  const spread = spreadAt(evidence, places, shares);
  const trace = (matrix: Matrix): number => (isEmpty ? 0 : solver.solve(matrix).trace());
  let [left, expected] = [0, 0];
  for (let i = 0; i < residual.length; i++) {
    const count = byCell[i] as number;
    left += (residual[i] as number) ** 2 / count;
    expected += ((spread.own[i] as number) - (perDevice * (spread.having[i] as number) ** 2) / count) / count;
  }
  expected -= evidence.noise.fixed * reports.length;
  expected -= trace(variation(evidence, places, spread, shares));
  const room = bits * rho * (1 - rho) * (total - reports.length) - (rho - rhoTwo) * trace(gramOfSquares);
  // Where each cohort has one report, collisions add nothing.
  const mass = room > 0 ? Math.min(1, Math.max(0, (left - expected) / room)) : 0;
  return { places, shares, solver, residual, spread: { ...spread, hash: squares.map((square) => mass * (rho - rhoTwo) * square) } };
}

/** A matrix that is symmetric except for rounding, made symmetric. */
export function symmetric(matrix: Matrix): Matrix {
  for (let c = 0; c < matrix.rows; c++) {
    for (let d = 0; d < c; d++) {
      const mean = (matrix.get(c, d) + matrix.get(d, c)) / 2;
      matrix.set(c, d, mean).set(d, c, mean);
    }
  }
  return matrix;
}

/** Adds weight (diag x - x xᵀ) to a covariance. */
export function addSampling(covariance: Matrix, shares: Float64Array, weight: number): Matrix {
  const clamped = shares.map((share) => Math.min(1, Math.max(0, share)));
  for (let c = 0; c < shares.length; c++) {
    for (let d = 0; d < shares.length; d++) {
      const [one, other] = [clamped[c] as number, clamped[d] as number];
      covariance.set(c, d, covariance.get(c, d) + weight * ((c === d ? one : 0) - one * other));
    }
  }
  return covariance;
}

/** From G⁻¹ V G⁻¹, which counts reports as people, to the covariance about the population. */
export const aboutPeople = ({ total, perDevice, people }: CellEvidence, covariance: Matrix, shares: Float64Array): Matrix =>
  addSampling(covariance, shares, 1 / people - perDevice / total);

/** From the covariance about the population to that about the people who reported. */
export const amongThese = ({ people }: Pick<CellEvidence, 'people'>, covariance: Matrix, shares: Float64Array): Matrix =>
  addSampling(covariance, shares, -1 / people);

/** The covariance of a fit's shares. */
export function covarianceOf(evidence: CellEvidence, { places, shares, solver, spread }: Fit): Matrix {
  if (places.pairs === 0) return new Matrix(0, 0);
  const half = solver.solve(variation(evidence, places, spread, shares));
  return aboutPeople(evidence, symmetric(solver.solve(half.transpose())), shares);
}
