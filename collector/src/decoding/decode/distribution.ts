/**
 * The whole distribution: a share for every candidate, near the truth together rather than tested one by one, and what is left for strings on
 * no list. Each share is the posterior median under a prior learned from all candidates, which has the least expected absolute error (Robbins
 * 1956 for the prior). So their sum, the total variation distance, is small. It says nothing about whether one string is there.
 *
 * In most lists large shares are rarer than small ones. So the prior is a mixture of densities that fall from 0 on (Stephens 2017), and of
 * single atoms for lists where that does not hold. EM starts with little weight on the atoms. In so few steps they gain weight only where they
 * are much likelier. A prior of atoms alone follows the noise of a short list.
 */

import { ATOM, ATOMS, atomAt, count, emptyHistogram, evenTo, learn, type Mixture, mixtureOf, STRAIGHT, type Weights } from './signals.ts';

/** The last atom would stand for all candidates beyond it, and draw those below towards itself. */
const BEYOND = 9;
/** In standard errors: strings are even in (0, width]. */
const WIDTHS = [0.5, 1, 2, 4, BEYOND] as const;
const LAWS: readonly Weights[] = [atomAt(0), ...WIDTHS.map(evenTo), ...Array.from({ length: ATOMS - 1 }, (_, i) => atomAt(i + 1))];
const MIXTURE: Mixture = mixtureOf(LAWS);
/** At first half of the candidates are null, and a fifth of the others has an atom of its own. */
const [NULLS, OWN] = [0.5, 0.2];
const START: Weights = Float64Array.from(LAWS, (_, part) =>
  part === 0 ? NULLS : (1 - NULLS) * (part <= WIDTHS.length ? (1 - OWN) / WIDTHS.length : OWN / (ATOMS - 1)),
);
const [STEPS, PSEUDO_COUNTS] = [40, 1];
/** In standard errors. Below the first a share is 0, above the second it is the estimate. */
const [LEAST, MOST, FINE] = [-6, 7.5, 0.02];

export interface Whole {
  readonly distribution: Float64Array;
  readonly other: number;
}

/** The median of θ given z, with each atom's weight spread evenly to halfway between its neighbours; the atom at 0 is not spread. */
export function medianOf(weights: Weights, z: number): number {
  const each = weights.map((weight, a) => weight * Math.exp(z * a * ATOM - (a * ATOM) ** 2 / 2));
  const half = each.reduce((sum, x) => sum + x, 0) / 2;
  let below = 0;
  for (let a = 0; a < each.length; a++) {
    const here = each[a] as number;
    if (below + here >= half) return a === 0 ? 0 : (a - 0.5 + (half - below) / here) * ATOM;
    below += here;
  }
  return z;
}

/** From unbiased estimates and their standard errors. */
export function wholeOf(estimates: Float64Array, errors: Float64Array): Whole {
  const histogram = emptyHistogram();
  for (let v = 0; v < estimates.length; v++) {
    const z = (estimates[v] as number) / (errors[v] as number);
    if (z < BEYOND) count(histogram, z);
  }
  const parts = learn(histogram, STRAIGHT, START, STEPS, PSEUDO_COUNTS, MIXTURE);
  const weights = atomAt(0).map((_, a) => LAWS.reduce((sum, law, part) => sum + (parts[part] as number) * (law[a] as number), 0));
  const medians = Float64Array.from({ length: Math.round((MOST - LEAST) / FINE) + 2 }, (_, row) => medianOf(weights, LEAST + row * FINE));
  let sum = 0;
  const distribution = estimates.map((estimate, v) => {
    const error = errors[v] as number;
    const z = estimate / error;
    const place = (z - LEAST) / FINE;
    const row = Math.floor(place);
    const share =
      z >= MOST
        ? estimate
        : z < LEAST
          ? 0
          : error * ((row + 1 - place) * (medians[row] as number) + (place - row) * (medians[row + 1] as number));
    sum += share;
    return share;
  });
  if (sum > 1) for (let v = 0; v < distribution.length; v++) distribution[v] = (distribution[v] as number) / sum;
  return { distribution, other: Math.max(0, 1 - sum) };
}
