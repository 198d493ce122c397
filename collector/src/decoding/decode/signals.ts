/**
 * Likely signals of a candidate whose estimate is z standard errors: a prior over signals θ, learned from all candidates, and the posterior.
 * The prior is the nonparametric maximum likelihood estimate (Kiefer and Wolfowitz 1956) over atoms at 0 and above, found by the EM algorithm
 * on a histogram (Koenker and Mizera 2014). Some pseudo-counts keep the atom at 0: most lists hold strings that nobody has.
 *
 * Null candidates' z need not be normal. So a z is first turned into the normal variable z* that is exceeded as rarely (`Warp`): otherwise
 * a long list's largest null candidates would look like signals.
 */

const [LEAST, MOST, FINE] = [-6, 20, 0.02];
const ROWS: number = Math.round((MOST - LEAST) / FINE);
/** Of z*. */
const [BIN, MOST_NORMAL] = [0.1, 9];
const BINS: number = Math.round((MOST_NORMAL - LEAST) / BIN);
/** The distance of the atoms, of which the first is at 0. */
export const ATOM = 0.25;
export const ATOMS: number = Math.round(MOST_NORMAL / ATOM) + 1;
/** The posterior is found at this many points a bin. */
const POINTS = 5;

/** From this z* on a signal is certain, and nothing is shrunk. */
const CERTAIN = 7.5;
/** Posterior means below this are 0, so that null candidates cost nothing. In standard errors. */
const FAINT = 0.02;

/** Of the atoms. */
export type Weights = Float64Array;
/** Numbers of candidates by z, in steps of FINE. */
export type Histogram = Float64Array;
/** z* by z. */
export type Warp = Float64Array;

/** By z. */
export interface Posterior {
  readonly mean: Float64Array;
  readonly slope: Float64Array;
  /** The least z whose posterior mean is not 0. */
  readonly from: number;
}

const middleOf = (row: number): number => LEAST + (row + 0.5) * FINE;
const rowOf = (z: number): number => Math.min(ROWS - 1, Math.max(0, Math.floor((z - LEAST) / FINE)));

/** By what z* is at each z. */
export function warpBy(normalOf: (z: number) => number): Warp {
  const warp = new Float64Array(ROWS);
  for (let row = 0; row < ROWS; row++) warp[row] = normalOf(middleOf(row));
  return warp;
}

/** z* = z. */
export const STRAIGHT: Warp = warpBy((z) => z);

/** exp(-(z* - θ)² / 2), for points from LEAST in steps of BIN / POINTS and each atom: from atom to atom by a factor, since most of a start was here. */
const LIKELIHOODS: Float64Array = new Float64Array((BINS * POINTS + 1) * ATOMS);
for (let point = 0; point <= BINS * POINTS; point++) {
  const z = LEAST + (point * BIN) / POINTS;
  let here = Math.exp(-0.5 * z * z);
  let factor = Math.exp(ATOM * (z - ATOM / 2));
  const fall = Math.exp(-ATOM * ATOM);
  for (let a = 0; a < ATOMS; a++) {
    LIKELIHOODS[point * ATOMS + a] = here;
    here *= factor;
    factor *= fall;
  }
}

export const emptyHistogram = (): Histogram => new Float64Array(ROWS);

export function count(histogram: Histogram, z: number): void {
  const row = rowOf(z);
  histogram[row] = (histogram[row] as number) + 1;
}

/** Nothing is known but a share of null candidates. `least` is the least signal above 0. */
export function flat(least: number, nulls: number): Weights {
  const weights = Float64Array.from({ length: ATOMS }, (_, a) => (a > 0 && a * ATOM >= Math.min(least, MOST_NORMAL) ? 1 : 0));
  const others = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight, a) => (a === 0 ? nulls : ((1 - nulls) * weight) / others));
}

/** A law of the signals as a mixture of several: by bin and part, how likely z* is there, up to a factor of the bin. */
export interface Mixture {
  readonly parts: number;
  readonly likelihoods: Float64Array;
}

/** The mixture of these laws, each given by its weights of the atoms. */
export function mixtureOf(laws: readonly Weights[]): Mixture {
  const parts = laws.length;
  const likelihoods = new Float64Array(BINS * parts);
  for (const [part, law] of laws.entries()) {
    for (const [a, weight] of law.entries()) {
      if (weight === 0) continue;
      for (let bin = 0; bin < BINS; bin++) {
        const at = bin * parts + part;
        const likelihood = LIKELIHOODS[Math.round((bin + 0.5) * POINTS) * ATOMS + a] as number;
        likelihoods[at] = (likelihoods[at] as number) + weight * likelihood;
      }
    }
  }
  return { parts, likelihoods };
}

/** The law that is all at one atom. */
export const atomAt = (atom: number): Weights => Float64Array.from({ length: ATOMS }, (_, a) => Number(a === atom));
/** Evenly over the atoms in (0, width]. */
export function evenTo(width: number): Weights {
  const last = Math.floor(width / ATOM);
  return Float64Array.from({ length: ATOMS }, (_, a) => (a > 0 && a <= last ? 1 / last : 0));
}

const OF_ATOMS: Mixture = mixtureOf(Array.from({ length: ATOMS }, (_, a) => atomAt(a)));

/** The weights of the parts after so many steps of EM; parts without weight stay without. The first part is that of null candidates. */
export function learn(
  histogram: Histogram,
  warp: Warp,
  from: Weights,
  steps: number,
  pseudoCounts: number,
  { parts, likelihoods }: Mixture = OF_ATOMS,
): Weights {
  const normals = new Float64Array(BINS);
  let all = pseudoCounts;
  for (let row = 0; row < ROWS; row++) {
    const here = histogram[row] as number;
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(((warp[row] as number) - LEAST) / BIN)));
    normals[bin] = (normals[bin] as number) + here;
    all += here;
  }
  const buffers = [new Float64Array(parts), new Float64Array(parts)] as const;
  let weights = from;
  for (let step = 0; step < steps; step++) {
    const next = buffers[step % 2 === 0 ? 0 : 1];
    next.fill(0);
    for (let bin = 0; bin < BINS; bin++) {
      const here = normals[bin] as number;
      if (here === 0) continue;
      const at = bin * parts;
      let density = 0;
      for (let part = 0; part < parts; part++) density += (weights[part] as number) * (likelihoods[at + part] as number);
      const scale = here / density;
      for (let part = 0; part < parts; part++) next[part] = (next[part] as number) + (likelihoods[at + part] as number) * scale;
    }
    for (let part = 0; part < parts; part++)
      next[part] = ((next[part] as number) * (weights[part] as number) + (part === 0 ? pseudoCounts : 0)) / all;
    weights = next;
  }
  return weights;
}

/** E[θ | z*] at the points. */
function meansOf(weights: Weights): Float64Array {
  const means = new Float64Array(BINS * POINTS + 1);
  for (let point = 0; point < means.length; point++) {
    let [density, first] = [0, 0];
    for (let a = 0; a < ATOMS; a++) {
      const weight = (weights[a] as number) * (LIKELIHOODS[point * ATOMS + a] as number);
      density += weight;
      first += weight * a;
    }
    if (density > 0) means[point] = (first * ATOM) / density;
  }
  return means;
}

/**
 * The posterior mean by z, and its slope. Where z* is less than z, the mean keeps z's scale: it is shrunk as much as z* is. The mean rises with
 * z, so what is faint is all below one z.
 */
export function posteriorOf(weights: Weights, warp: Warp): Posterior {
  const means = meansOf(weights);
  const [mean, slope] = [new Float64Array(ROWS), new Float64Array(ROWS)];
  let from = MOST;
  for (let row = ROWS - 1; row >= 0; row--) {
    const [z, normal] = [middleOf(row), warp[row] as number];
    let found = z;
    if (normal < CERTAIN) {
      const place = Math.max(0, ((normal - LEAST) / BIN) * POINTS);
      const point = Math.floor(place);
      const shrunk = (means[point] as number) + (place - point) * ((means[point + 1] as number) - (means[point] as number));
      found = shrunk * (1 + Math.max(0, z - normal) / Math.max(normal, 0.5));
    }
    if (found < FAINT) break;
    mean[row] = found;
    from = z - FINE / 2;
  }
  for (let row = 1; row < ROWS - 1; row++) slope[row] = ((mean[row + 1] as number) - (mean[row - 1] as number)) / (2 * FINE);
  slope[ROWS - 1] = 1;
  return { mean, slope, from };
}

/** Without a prior: certain above this z*, and null below. */
export function certainAbove(bar: number, warp: Warp): Posterior {
  const [mean, slope] = [new Float64Array(ROWS), new Float64Array(ROWS)];
  let from = MOST;
  for (let row = ROWS - 1; row >= 0 && (warp[row] as number) >= bar; row--) {
    from = middleOf(row) - FINE / 2;
    mean[row] = middleOf(row);
    slope[row] = 1;
  }
  return { mean, slope, from };
}

export const meanAt = ({ mean }: Posterior, z: number): number => (z >= MOST ? z : (mean[rowOf(z)] as number));
/** The mean, straight between the middles of rows. */
export function meanBetween({ mean }: Posterior, z: number): number {
  const place = (z - LEAST) / FINE - 0.5;
  if (place >= ROWS - 1) return z;
  const row = Math.floor(Math.max(0, place));
  const here = mean[row] as number;
  return here + (place - row) * ((mean[row + 1] as number) - here);
}
export const slopeAt = ({ slope }: Posterior, z: number): number => (z >= MOST ? 1 : (slope[rowOf(z)] as number));
