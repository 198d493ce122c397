/**
 * Which strings are fitted jointly. Strings that show in the tally are; each other one is then estimated given these (`rest`). The share of
 * a string that is absent varies no less for being fitted with hundreds of others, so nothing is lost, and the cost grows with the number
 * of candidates instead of its cube.
 *
 * Rounds of a greedy search: a string joins when one of its pairs is `NEAR` standard errors above 0 in what the fit leaves. That is a
 * threshold of economy, not of significance: absent strings that join by chance do no harm.
 */

import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import type { CellEvidence } from './evidence.ts';
import { aboutPeople, covarianceOf, type Fit, fitPairs, symmetric, variation } from './fit.ts';
import { groupOf, type Places, placesTogether, products, productsWithin, sumOf, sumsOver, weightsOf } from './pairs.ts';

const NEAR = 2.5;
const ROUNDS = 6;
/** Pairs that are fitted jointly at most. */
const MOST_PAIRS = 400;
/** The least number of cells for each of them. */
const CELLS = 4;

/** The shares of one string's pairs with their covariance. */
export interface StringShares {
  readonly shares: Float64Array;
  readonly covariance: Matrix;
}

/** The strings of a joint fit, by their index among the candidates, and their fit. */
export interface Screened {
  readonly strings: readonly number[];
  readonly fit: Fit;
}

/** The largest z-score of each string's pairs in what a fit leaves. */
function scoresOf(evidence: CellEvidence, { residual, spread }: Fit, all: readonly Places[]): readonly number[] {
  const { rho } = evidence;
  const weights = spread.own.map((weight, i) => weight + (spread.hash[i] as number));
  const total = rho * rho * sumOf(weights);
  const left = rho * sumOf(residual);
  return all.map((places) => {
    const variances = sumsOver(places, weights);
    return sumsOver(places, residual).reduce(
      (most, sum, c) => Math.max(most, (sum - left) / Math.sqrt((1 - 2 * rho) * (variances[c] as number) + total)),
      0,
    );
  });
}

/** Fits the strings that show in the tally. */
export function screen(evidence: CellEvidence, all: readonly Places[]): Screened {
  const width = all[0]?.pairs ?? 1;
  const most = Math.floor(Math.min(MOST_PAIRS, evidence.excess.length / CELLS) / width);
  let strings: readonly number[] = [];
  let fit = fitPairs(evidence, placesTogether([]));
  for (let round = 0; round < ROUNDS; round++) {
    const scores = scoresOf(evidence, fit, all);
    const joining = scores
      .map((score, string) => ({ score, string }))
      .filter(({ score, string }) => score > NEAR && !strings.includes(string))
      .sort((a, b) => b.score - a.score)
      .slice(0, most - strings.length);
    if (joining.length === 0) break;
    strings = [...strings, ...joining.map(({ string }) => string)].sort((a, b) => a - b);
    fit = fitPairs(evidence, placesTogether(strings.map((string) => all[string] as Places)));
  }
  return { strings, fit };
}

/**
 * The shares of a string that is not in the joint fit, fitted with those that are (Frisch and Waugh 1933): with K = [-G_RA G_AA⁻¹, 1] and
 * Q = G_RR - G_RA G_AA⁻¹ G_AR, x_R = Q⁻¹ (g_R - G_RA x_A) and Cov(x_R) = Q⁻¹ K V Kᵀ Q⁻¹. V leaves out Σ_j n_j t_jR t_jᵀ, which is small
 * where x_R is, and would make it smaller.
 */
function restBy(evidence: CellEvidence, { fit }: Screened): (places: Places) => StringShares {
  const { spread } = fit;
  const weights = weightsOf(
    evidence.byCell,
    spread.own.map((weight, i) => weight + (spread.hash[i] as number)),
  );
  const joint = groupOf(fit.places, weights, evidence);
  const fitted = variation(evidence, fit.places, spread, fit.shares);
  const total = sumOf(fit.residual);
  const isAlone = fit.places.pairs === 0;
  return (places) => {
    const [gram, own] = productsWithin(places, weights, evidence) as [Matrix, Matrix];
    const [across, together] = products(joint, places, evidence.rho) as [Matrix, Matrix];
    const drawn = isAlone ? across : fit.solver.solve(across); // G_AA⁻¹ G_AR
    if (!isAlone) {
      gram.sub(across.transpose().mmul(drawn));
      const shared = drawn.transpose().mmul(together);
      own.sub(shared).sub(shared.transpose()).add(drawn.transpose().mmul(fitted).mmul(drawn));
    }
    const solver = new CholeskyDecomposition(symmetric(gram));
    const right = Matrix.columnVector([...sumsOver(places, fit.residual)].map((sum) => sum - evidence.rho * total));
    const shares = Float64Array.from(solver.solve(right).to1DArray());
    return { shares, covariance: aboutPeople(evidence, symmetric(solver.solve(solver.solve(own).transpose())), shares) };
  };
}

/** The shares of each candidate's pairs, and the covariance of the joint fit. */
export function sharesOf(
  evidence: CellEvidence,
  all: readonly Places[],
  screened: Screened,
): { readonly strings: readonly StringShares[]; readonly covariance: Matrix } {
  const { fit, strings } = screened;
  const width = all[0]?.pairs ?? 1;
  const covariance = covarianceOf(evidence, fit);
  const rest = restBy(evidence, screened);
  const found = all.map((places, string): StringShares => {
    const at = strings.indexOf(string) * width;
    if (at < 0) return rest(places);
    return { shares: fit.shares.slice(at, at + width), covariance: covariance.subMatrix(at, at + width - 1, at, at + width - 1) };
  });
  return { strings: found, covariance };
}
