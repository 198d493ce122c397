/**
 * How much a law's noise can be on average over numbers of which their mean f and the mean squared score S are known, all
 * from the middle of the range. With V(x) = Var(score | x), the law says S = mean of x² + V(x). So for any weight γ
 *   mean of V(x) = γ S + mean of h(x) <= γ S + h^(f),   h(x) = (1 - γ) V(x) - γ x²
 * where h^ is the least concave function that is nowhere below h: the mean of h(x) lies below its graph (Jensen). The least
 * of these bounds over γ in [0, 1] is taken: by duality no better one follows from f and S. At γ = 1 it is S - f², which
 * has all numbers alike. Where V is a + b x², b >= 0, γ = b / (1 + b) makes h constant and the bound the very mean; where
 * V is the same for all numbers, γ = 0 does.
 */

/**
 * γ is one of the squares of the multiples of 1 over this: off the best by δ, the bound is too large by δ (1 + b) times the
 * numbers' variance, which counts where the noise is small, at a large ε, and there the best γ is small.
 */
const WEIGHTS = 32;

/** V is looked at in so many places, evenly spaced: what a finer grid's rounding adds between them is below 1e-6. */
export const PLACES = 512;

type Point = readonly [x: number, h: number];

/** The corners of the least concave function above points whose x ascend (Andrew 1979). */
function hullAbove(points: readonly Point[]): readonly Point[] {
  const hull: Point[] = [];
  for (const point of points) {
    while (hull.length > 1) {
      const [[x0, h0], [x1, h1]] = [hull.at(-2), hull.at(-1)] as [Point, Point];
      if ((h1 - h0) * (point[0] - x0) > (point[1] - h0) * (x1 - x0)) break;
      hull.pop();
    }
    hull.push(point);
  }
  return hull;
}

/** Its value. */
function heightAt(hull: readonly Point[], x: number): number {
  let [left, right] = [0, hull.length - 1];
  while (right - left > 1) {
    const middle = (left + right) >> 1;
    if ((hull[middle] as Point)[0] < x) left = middle;
    else right = middle;
  }
  const [[x0, h0], [x1, h1]] = [hull[left], hull[right]] as [Point, Point];
  return h0 + ((h1 - h0) * (x - x0)) / (x1 - x0);
}

/** V from the middle of the range. */
const sampledOf = (varianceAt: (place: number) => number): readonly Point[] =>
  Array.from({ length: PLACES + 1 }, (_, i): Point => [i / PLACES - 0.5, varianceAt(i / PLACES)]);

const inRange = (f: number): number => Math.min(0.5, Math.max(-0.5, f));

/** The least that the mean of V(x) can be, by the numbers' mean: the greatest convex function that is nowhere above V. */
export function leastNoise(varianceAt: (place: number) => number): (f: number) => number {
  const hull = hullAbove(sampledOf(varianceAt).map(([x, v]): Point => [x, -v]));
  return (f) => -heightAt(hull, inRange(f));
}

/** h^ by γ. */
type Bounds = readonly { readonly weight: number; readonly hull: readonly Point[] }[];

function boundsOf(varianceAt: (place: number) => number): Bounds {
  const sampled = sampledOf(varianceAt);
  return Array.from({ length: WEIGHTS + 1 }, (_, i) => {
    const weight = (i / WEIGHTS) ** 2;
    return { weight, hull: hullAbove(sampled.map(([x, v]): Point => [x, (1 - weight) * v - weight * x * x])) };
  });
}

/** By a law's V: a range of days asks for the same again and again. */
const known = new WeakMap<(place: number) => number, Bounds>();

/** The most that the mean of V(x) can be, by the numbers' mean: 0 at the middle of the range, where numbers are in [-1/2, 1/2]. */
export function mostNoise(varianceAt: (place: number) => number, square: number): (f: number) => number {
  const bounds = known.get(varianceAt) ?? boundsOf(varianceAt);
  known.set(varianceAt, bounds);
  return (f) => Math.min(...bounds.map(({ weight, hull }) => weight * square + heightAt(hull, inRange(f))));
}
