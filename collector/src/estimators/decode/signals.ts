/**
 * What is likely of a candidate whose estimate is z standard errors: a prior over signals θ of z ~ N(θ, 1), learned from all candidates.
 * It is the nonparametric maximum likelihood estimate (Kiefer and Wolfowitz 1956) over atoms at 0 and above, found by the EM algorithm on
 * a histogram (Koenker and Mizera 2014). Some pseudo-counts keep the atom at 0: most lists hold strings that nobody has.
 */

const [LEAST, MOST] = [-6, 9];
const BIN = 0.1;
const FINE = 0.01;
const ATOM = 0.25;
const BINS: number = Math.round((MOST - LEAST) / BIN);
const ROWS: number = Math.round((MOST - LEAST) / FINE) + 1;
const ATOMS: number = Math.round(MOST / ATOM) + 1;

/** From here on a signal is certain, and nothing is shrunk. */
const CERTAIN = 7.5;

/** Posterior means below this are 0, so that null candidates cost nothing. In standard errors. */
const FAINT = 0.02;

/** Weights of the atoms. */
export type Weights = Float64Array;

/** By z, from LEAST in steps of FINE. */
export interface Posterior {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  /** The least z whose posterior mean is not 0. */
  readonly from: number;
}

let kernel: Float64Array | undefined;

/** exp(-(z - θ)² / 2) for each fine z and each atom. */
function likelihoods(): Float64Array {
  if (kernel !== undefined) return kernel;
  kernel = new Float64Array(ROWS * ATOMS);
  for (let row = 0; row < ROWS; row++) {
    for (let a = 0; a < ATOMS; a++) kernel[row * ATOMS + a] = Math.exp(-0.5 * (LEAST + row * FINE - a * ATOM) ** 2);
  }
  return kernel;
}

export const emptyHistogram = (): Float64Array => new Float64Array(BINS);

/** Counts a z. */
export function count(histogram: Float64Array, z: number): void {
  const bin = Math.min(BINS - 1, Math.max(0, Math.floor((z - LEAST) / BIN)));
  histogram[bin] = (histogram[bin] as number) + 1;
}

/** Nothing is known: nine of ten candidates are null. `least` is the least signal above 0. */
export const flat = (least: number): Weights => {
  const weights = new Float64Array(ATOMS).map((_, a) => (a * ATOM >= least ? 1 : 0));
  weights[0] = 0;
  const others = weights.reduce((sum, weight) => sum + weight, 0);
  for (let a = 0; a < ATOMS; a++) weights[a] = (0.1 * (weights[a] as number)) / others;
  weights[0] = 0.9;
  return weights;
};

/** So many steps of EM; atoms without weight stay without. */
export function learn(histogram: Float64Array, from: Weights, steps: number, pseudoCounts: number): Weights {
  const likelihood = likelihoods();
  const all = histogram.reduce((sum, each) => sum + each, 0) + pseudoCounts;
  let weights = from;
  for (let step = 0; step < steps; step++) {
    const next = new Float64Array(ATOMS);
    for (let bin = 0; bin < BINS; bin++) {
      const here = histogram[bin] as number;
      if (here === 0) continue;
      const row = Math.round((bin + 0.5) * (BIN / FINE)) * ATOMS;
      let density = 0;
      for (let a = 0; a < ATOMS; a++) density += (weights[a] as number) * (likelihood[row + a] as number);
      const scale = here / density;
      for (let a = 0; a < ATOMS; a++) next[a] = (next[a] as number) + (likelihood[row + a] as number) * scale;
    }
    for (let a = 0; a < ATOMS; a++) next[a] = ((next[a] as number) * (weights[a] as number) + (a === 0 ? pseudoCounts : 0)) / all;
    weights = next;
  }
  return weights;
}

/** Posterior mean and variance by z. The mean rises with z, so what is faint is all below one z. */
export function posteriorOf(weights: Weights): Posterior {
  const likelihood = likelihoods();
  const mean = new Float64Array(ROWS);
  const variance = new Float64Array(ROWS);
  let from = CERTAIN;
  for (let row = ROWS - 1; row >= 0; row--) {
    const z = LEAST + row * FINE;
    if (z >= CERTAIN) continue;
    let [density, first, second] = [0, 0, 0];
    for (let a = 0; a < ATOMS; a++) {
      const weight = (weights[a] as number) * (likelihood[row * ATOMS + a] as number);
      const theta = a * ATOM;
      density += weight;
      first += weight * theta;
      second += weight * theta * theta;
    }
    const found = density > 0 ? first / density : 0;
    if (found < FAINT) break;
    mean[row] = found;
    variance[row] = second / density - found * found;
    from = z;
  }
  return { mean, variance, from };
}

const rowOf = (z: number): number => Math.round((z - LEAST) / FINE);

export const meanAt = ({ mean }: Posterior, z: number): number => (z >= CERTAIN ? z : z < LEAST ? 0 : (mean[rowOf(z)] as number));

/** Of a signal, given z. It is also the slope of the posterior mean. */
export const varianceAt = ({ variance }: Posterior, z: number): number =>
  z >= CERTAIN ? 1 : z < LEAST ? 0 : (variance[rowOf(z)] as number);
