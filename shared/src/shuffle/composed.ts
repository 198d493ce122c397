/**
 * Several questions and days: the (ε, δ) of all their groups of shuffled reports together, by the distributions of their privacy losses.
 *
 * The curve δ(e^ε) of a group is convex, and amplified.ts bounds it from above at any ε. Between points of a grid of ε, and on the lower hull
 * of what was computed there, lines are a bound as well ("connect the dots": Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, "Connect the
 * Dots: Tighter Discrete Approximations of Privacy Loss Distributions"). Such a curve is that of two discrete distributions: the second has
 * at e^ε the change of slope there as its mass, and the first e^ε times that. The worst of both directions is bounded, so the loss -ε has
 * the masses of ε with the two exchanged, and what is missing to 1 has the loss 0. Losses of independent groups add up, so
 *   δ(ε) <= Σ m_i δ_i(∞) + E[(1 - e^(ε - Σ losses))_+]
 * for m_i groups of a kind (Koskela, Jälkö, Honkela 2020, "Computing Tight Differential Privacy Guarantees Using FFT", theorem 10), where
 * δ_i(∞) is what a grid leaves at its end.
 */

import { type Amplification, bisect } from './bounds.ts';
import { type Atom, type Draws, lossAbove, sumOf } from './sum.ts';

/** So many groups of reports of one kind: a question in a segment on as many days. */
export interface Groups {
  readonly amplification: Amplification;
  readonly times: number;
}

/** Points of a grid: the fewest of a kind, and the most. */
const [FEWEST, MOST] = [64, 512];
/** The part of δ that the ends of all grids may take. */
const ENDS = 1e-2;

/** The least end of a grid, as a share of the local ε. */
const LEAST_END = 1e-6;

interface Losses extends Draws {
  /** The mass of infinite loss. */
  readonly infinite: number;
}

/** The lower hull of points in ascending order (Andrew's monotone chain). */
function lowerHull(points: readonly (readonly [x: number, y: number])[]): readonly (readonly [x: number, y: number])[] {
  const hull: (readonly [number, number])[] = [];
  for (const point of points) {
    for (;;) {
      const [a, b] = [hull.at(-2), hull.at(-1)];
      if (a === undefined || b === undefined) break;
      if ((b[0] - a[0]) * (point[1] - a[1]) > (b[1] - a[1]) * (point[0] - a[0])) break;
      hull.pop();
    }
    hull.push(point);
  }
  return hull;
}

/** The losses of a group, from its curve on a grid of ε up to `end`. */
function lossesOf({ amplification, times }: Groups, end: number, step: number): Losses {
  const last = Math.ceil(end / step);
  const hull = lowerHull(Array.from({ length: last + 1 }, (_, j) => [Math.exp(j * step), amplification.above(j * step)] as const));
  const atoms: Atom[] = [];
  for (const [i, [odds, delta]] of hull.entries()) {
    const [before, after] = [hull[i - 1], hull[i + 1]];
    if (before === undefined) continue;
    const into = (before[1] - delta) / (odds - before[0]);
    const out = after === undefined ? 0 : (delta - after[1]) / (after[0] - odds);
    const mass = Math.max(0, into - out) * (1 + 2 ** -40);
    atoms.push({ value: Math.log(odds), probability: odds * mass }, { value: -Math.log(odds), probability: mass });
  }
  return { atoms, times, infinite: (hull.at(-1) as readonly [number, number])[1] };
}

/**
 * An upper bound of the least ε for a δ over all groups, at most the sum of their local ε.
 *
 * @param all groups in whose reports a device takes part, each with its number of devices in `amplification`
 */
export function composedEpsilon(all: readonly Groups[], delta: number): number {
  const groups = all.reduce((sum, { times }) => sum + times, 0);
  const local = all.reduce((sum, { amplification, times }) => sum + times * amplification.local, 0);
  const ends = all.map(({ amplification }) => Math.max(amplification.local * LEAST_END, amplification.epsilon((ENDS * delta) / groups)));
  const step = Math.max(Math.min(...ends) / FEWEST, Math.max(...ends) / MOST);
  const losses = all.map((each, i) => lossesOf(each, ends[i] as number, step));
  const infinite = losses.reduce((sum, each) => sum + each.times * each.infinite, 0);
  const sum = sumOf(losses);
  return bisect((epsilon) => infinite + lossAbove(sum, epsilon) * (1 + groups * 2 ** -40) <= delta, 0, local);
}
