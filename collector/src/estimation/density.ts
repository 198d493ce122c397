/**
 * The shares of a distribution's cells as they are drawn, with a band: smooth where the reports can't tell cells apart, sharp where they
 * can. Eilers 2007, "Ill-posed problems with counts, the composite link model and penalized likelihood"; the smoothness is learned from
 * the reports by their evidence (MacKay 1992, "Bayesian Interpolation"), averaged over all degrees of it.
 *
 * Model: output j of a tally counts c_j in n_j reports, with probability π_j = q_j + r_j f_j, f_j the share of an interval I_j of cells. That
 * is the square wave and each level of a tree. Shares are θ = exp η / Σ exp η, so they are positive and sum to 1. With P a penalty on the
 * roughness of η, the fit maximizes
 *   Σ_j c_j ln π_j - ηᵀPη / 2
 * by Fisher scoring. With m_j = θ ∘ (1_I - f_j), the gradient is Σ_j (c_j / π_j) r_j m_j - Pη and the information Σ_j (n_j / π_j) r_j² m_j m_jᵀ + P.
 * Subsets of m nodes of k are counted as draws with replacement, whose variance is larger by 1/φ, φ = (1 - m/k) k / (k-1). Dividing c and
 * n by φ gives the right one.
 *
 * As a prior, η is normal with precision P, so the evidence of a P is, by Laplace's approximation with the information H,
 *   Σ_j c_j ln π_j - ηᵀPη / 2 + (ln det P - ln det H) / 2
 * P is λ times squared second differences, plus a weak one of first differences; or λ times squared first differences, which is better for
 * even numbers. Shares are means over all P, weighted by their evidence.
 *
 * The band is that of the posterior, ln θ_i ± z s_i, with its low end where it is lower at θ_i (1 - z s_i). Such bands cover on average over
 * cells, not in each (Nychka 1988, "Bayesian Confidence Intervals for Smoothing Splines"). docs/accuracy.md has the coverage.
 */

import { Z95 } from './statistics/tails.ts';

/** Evidence of a tally about the share of the cells from `from` (included) to `to` (excluded). */
export interface Sight {
  readonly from: number;
  readonly to: number;
  /** The probabilities of the output, for devices inside and outside the interval. */
  readonly p: number;
  readonly q: number;
  readonly count: number;
  readonly reports: number;
}

/** Shares of the cells that are positive and sum to 1, with a 95 % band for each. */
export interface Density {
  readonly shares: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Powers of ten of λ, for 64 cells: from a straight line to no smoothing. */
const DEGREES = [5, 4, 3, 2, 1, 0, -1, -2, -3];
const CELLS = 64;

/** The precision of first differences beside second ones: a slope over the whole range multiplies shares by e^±25 at most, mostly. */
const SLOPE = 0.1;

/** The precision of the mean of η, which no share depends on. */
const LEVEL = 1e-3;

/** Evidence that is lower by this much than the best adds nothing. */
const NEGLIGIBLE = 12;

const MOST_ROUNDS = 60;
/** A round that gains less ends the search. */
const GAIN = 1e-3;
/** The largest step of η in one round. */
const STRIDE = 3;

/** A symmetric matrix, by rows. */
type Square = Float64Array;

/** The lower factor L of a positive definite matrix, LLᵀ. */
function cholesky(matrix: Square, size: number): Square {
  const lower = matrix.slice();
  for (let i = 0; i < size; i++) {
    for (let k = 0; k <= i; k++) {
      let sum = lower[i * size + k] as number;
      for (let t = 0; t < k; t++) sum -= (lower[i * size + t] as number) * (lower[k * size + t] as number);
      lower[i * size + k] = i === k ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / (lower[k * size + k] as number);
    }
  }
  return lower;
}

/** Half of the logarithm of the determinant. */
function halfLogDeterminant(lower: Square, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += Math.log(lower[i * size + i] as number);
  return sum;
}

/** L⁻¹ b, from its first element that is not 0. */
function forward(lower: Square, size: number, b: Float64Array, first = 0): Float64Array {
  const x = new Float64Array(size);
  for (let i = first; i < size; i++) {
    let sum = b[i] as number;
    for (let k = first; k < i; k++) sum -= (lower[i * size + k] as number) * (x[k] as number);
    x[i] = sum / (lower[i * size + i] as number);
  }
  return x;
}

/** Solves LLᵀ x = b. */
function solve(lower: Square, size: number, b: Float64Array): Float64Array {
  const x = forward(lower, size, b);
  for (let i = size - 1; i >= 0; i--) {
    let sum = x[i] as number;
    for (let k = i + 1; k < size; k++) sum -= (lower[k * size + i] as number) * (x[k] as number);
    x[i] = sum / (lower[i * size + i] as number);
  }
  return x;
}

/** The precision of η that gives squared differences of the first and second order these factors. */
function penalty(size: number, first: number, second: number): Square {
  const matrix = new Float64Array(size * size).fill(LEVEL);
  const add = (at: number, difference: readonly number[], factor: number): void => {
    difference.forEach((a, i) => {
      difference.forEach((b, k) => {
        const place = (at + i) * size + at + k;
        matrix[place] = (matrix[place] as number) + factor * a * b;
      });
    });
  };
  for (let i = 0; i + 1 < size; i++) add(i, [-1, 1], first);
  for (let i = 0; i + 2 < size; i++) add(i, [1, -2, 1], second);
  return matrix;
}

/** θ, from η. */
function sharesAt(eta: Float64Array): Float64Array {
  const highest = eta.reduce((a, b) => Math.max(a, b));
  const powers = eta.map((x) => Math.exp(x - highest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** f of each sight. */
function seenAt(sights: readonly Sight[], shares: Float64Array): Float64Array {
  const below = new Float64Array(shares.length + 1);
  for (let i = 0; i < shares.length; i++) below[i + 1] = (below[i] as number) + (shares[i] as number);
  return Float64Array.from(sights, ({ from, to }) => (below[to] as number) - (below[from] as number));
}

/** The penalized log-likelihood. */
function objectiveAt(sights: readonly Sight[], matrix: Square, eta: Float64Array): number {
  const seen = seenAt(sights, sharesAt(eta));
  let sum = 0;
  sights.forEach(({ p, q, count }, j) => {
    if (count > 0) sum += count * Math.log(q + (p - q) * (seen[j] as number));
  });
  return sum - rough(matrix, eta) / 2;
}

/** ηᵀPη. */
function rough(matrix: Square, eta: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < eta.length; i++) {
    for (let k = 0; k < eta.length; k++) sum += (eta[i] as number) * (matrix[i * eta.length + k] as number) * (eta[k] as number);
  }
  return sum;
}

/** The gradient and the information, P included. */
function curvatureAt(
  sights: readonly Sight[],
  matrix: Square,
  eta: Float64Array,
): { readonly gradient: Float64Array; readonly information: Square } {
  const size = eta.length;
  const shares = sharesAt(eta);
  const seen = seenAt(sights, shares);
  // Sums over sights of 1_I, weighted: differences along the cells, then their running sums; for 1_I 1_Iᵀ in both directions.
  const [slope, mixed] = [new Float64Array(size + 1), new Float64Array(size + 1)];
  const squares = new Float64Array((size + 1) * (size + 1));
  let [slopes, both] = [0, 0];
  const bump = (values: Float64Array, at: number, by: number): void => {
    values[at] = (values[at] as number) + by;
  };
  sights.forEach(({ from, to, p, q, count, reports }, j) => {
    const f = seen[j] as number;
    const [r, chance] = [p - q, q + (p - q) * f];
    const pull = (count / chance) * r;
    const weight = (reports / chance) * r * r;
    slopes += pull * f;
    both += weight * f * f;
    bump(slope, from, pull);
    bump(slope, to, -pull);
    bump(mixed, from, weight * f);
    bump(mixed, to, -weight * f);
    bump(squares, from * (size + 1) + from, weight);
    bump(squares, from * (size + 1) + to, -weight);
    bump(squares, to * (size + 1) + from, -weight);
    bump(squares, to * (size + 1) + to, weight);
  });
  for (let i = 1; i <= size; i++) {
    bump(slope, i, slope[i - 1] as number);
    bump(mixed, i, mixed[i - 1] as number);
  }
  const [gradient, information] = [new Float64Array(size), new Float64Array(size * size)];
  for (let i = 0; i < size; i++) {
    const own = shares[i] as number;
    let [drag, row] = [0, 0];
    for (let k = 0; k < size; k++) {
      // The running sum along the row, added to that of the row above.
      row += squares[i * (size + 1) + k] as number;
      const together = row + (i > 0 ? (squares[(i - 1) * (size + 1) + k] as number) : 0);
      squares[i * (size + 1) + k] = together;
      const fixed = matrix[i * size + k] as number;
      drag += fixed * (eta[k] as number);
      information[i * size + k] = own * (shares[k] as number) * (together - (mixed[i] as number) - (mixed[k] as number) + both) + fixed;
    }
    gradient[i] = own * ((slope[i] as number) - slopes) - drag;
  }
  return { gradient, information };
}

/** A fit under one penalty. */
interface Fit {
  readonly eta: Float64Array;
  readonly evidence: number;
  /** L of the information. */
  readonly lower: Square;
}

function fitted(sights: readonly Sight[], matrix: Square, from: Float64Array): Fit {
  const size = from.length;
  let [eta, objective] = [from, objectiveAt(sights, matrix, from)];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { gradient, information } = curvatureAt(sights, matrix, eta);
    const step = solve(cholesky(information, size), size, gradient);
    const before = objective;
    const longest = step.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    for (let part = Math.min(1, STRIDE / longest); part > 1e-4; part /= 2) {
      const next = eta.map((x, i) => x + part * (step[i] as number));
      const found = objectiveAt(sights, matrix, next);
      if (found <= objective) continue;
      [eta, objective] = [next, found];
      break;
    }
    if (objective - before < GAIN) break;
  }
  const lower = cholesky(curvatureAt(sights, matrix, eta).information, size);
  const evidence = objective + halfLogDeterminant(cholesky(matrix, size), size) - halfLogDeterminant(lower, size);
  return { eta, evidence, lower };
}

/** The fits whose evidence counts, from the smoothest on. */
function fitsOf(size: number, sights: readonly Sight[]): readonly Fit[] {
  const scale = size / CELLS; // the same prior of a function, whatever the width of cells
  const families = [
    (degree: number) => penalty(size, SLOPE * scale, 10 ** degree * scale ** 3),
    (degree: number) => penalty(size, 10 ** degree * scale, 0),
  ];
  const fits: Fit[] = [];
  for (const family of families) {
    let eta: Float64Array = new Float64Array(size);
    let best = Number.NEGATIVE_INFINITY;
    for (const degree of DEGREES) {
      const fit = fitted(sights, family(degree), eta);
      fits.push(fit);
      eta = fit.eta;
      best = Math.max(best, fit.evidence);
      if (fit.evidence < best - NEGLIGIBLE) break;
    }
  }
  const best = Math.max(...fits.map(({ evidence }) => evidence));
  return fits.filter(({ evidence }) => evidence > best - NEGLIGIBLE);
}

/** The posterior variances of ln θ: those of η less their mean over θ. */
function variancesOf({ eta, lower }: Fit, shares: Float64Array): Float64Array {
  const size = eta.length;
  const whole = forward(lower, size, shares);
  return Float64Array.from({ length: size }, (_, i) => {
    const own = forward(lower, size, new Float64Array(size).fill(1, i, i + 1), i);
    return own.reduce((sum, x, k) => sum + (x - (whole[k] as number)) ** 2, 0);
  });
}

/** The density that the sights tell. `people` as in estimate.ts: how many were drawn from the population. */
export function densityOf(size: number, sights: readonly Sight[], people: number): Density {
  const fits = fitsOf(size, sights);
  const best = Math.max(...fits.map(({ evidence }) => evidence));
  const weights = fits.map(({ evidence }) => Math.exp(evidence - best));
  const whole = weights.reduce((a, b) => a + b, 0);
  const [shares, logs, squares] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  fits.forEach((fit, f) => {
    const weight = (weights[f] as number) / whole;
    const own = sharesAt(fit.eta);
    const variances = variancesOf(fit, own);
    own.forEach((share, i) => {
      const log = Math.log(Math.max(share, Number.MIN_VALUE));
      shares[i] = (shares[i] as number) + weight * share;
      logs[i] = (logs[i] as number) + weight * log;
      squares[i] = (squares[i] as number) + weight * ((variances[i] as number) + log * log);
    });
  });
  const spreads = Array.from(shares, (share, i) =>
    Math.sqrt(Math.max(0, (squares[i] as number) - (logs[i] as number) ** 2) + (1 - share) / (Math.max(share, Number.MIN_VALUE) * people)),
  );
  const middle = (i: number): number => Math.exp(logs[i] as number);
  return {
    shares: Array.from(shares),
    low: spreads.map((spread, i) => Math.max(0, Math.min(middle(i) * Math.exp(-Z95 * spread), (shares[i] as number) * (1 - Z95 * spread)))),
    high: spreads.map((spread, i) => Math.min(1, Math.max(middle(i), shares[i] as number) * Math.exp(Math.min(700, Z95 * spread)))),
  };
}
