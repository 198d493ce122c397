/**
 * Bounds on a law's average noise over numbers with a known mean f and a known mean squared score S, both measured from the middle of the
 * range. With V(x) = Var(score | x), the law says S = mean of x² + V(x). So for any weight γ
 *   mean of V(x) = γ S + mean of h(x) <= γ S + h^(f),   h(x) = (1 - γ) V(x) - γ x²
 * where h^ is the least concave function that is nowhere below h: the mean of h(x) lies below its graph (Jensen). The result is the least
 * of these bounds over γ in [0, 1]; by duality, no better bound follows from f and S. γ = 1 gives S - f², the case in which all numbers are
 * equal. Where V is a + b x², b >= 0, γ = b / (1 + b) makes h constant and the bound equal to the mean. Where V is constant, γ = 0 does.
 */

/**
 * γ takes the squares of the multiples of 1 over this. Off the best γ by δ, the bound is too large by δ (1 + b) times the variance of the
 * numbers. That matters where the noise is small, at a large ε, and there the best γ is small.
 */
const WEIGHTS = 32;

/** V is evaluated at this many evenly spaced points. The rounding of a finer grid adds less than 1e-6 between them. */
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

/** The height of a hull at x. */
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

/** Samples of V, with x measured from the middle of the range. */
const sampledOf = (varianceAt: (place: number) => number): readonly Point[] =>
  Array.from({ length: PLACES + 1 }, (_, i): Point => [i / PLACES - 0.5, varianceAt(i / PLACES)]);

const inRange = (f: number): number => Math.min(0.5, Math.max(-0.5, f));

/** The least possible mean of V(x), as a function of the numbers' mean: the greatest convex function that is nowhere above V. */
export function leastNoise(varianceAt: (place: number) => number): (f: number) => number {
  const hull = hullAbove(sampledOf(varianceAt).map(([x, v]): Point => [x, -v]));
  return (f) => -heightAt(hull, inRange(f));
}

/** h^ for each γ. */
type Bounds = readonly { readonly weight: number; readonly hull: readonly Point[] }[];

function boundsOf(varianceAt: (place: number) => number): Bounds {
  const sampled = sampledOf(varianceAt);
  return Array.from({ length: WEIGHTS + 1 }, (_, i) => {
    const weight = (i / WEIGHTS) ** 2;
    return { weight, hull: hullAbove(sampled.map(([x, v]): Point => [x, (1 - weight) * v - weight * x * x])) };
  });
}

/** Cached by a law's V, because a range of days asks for the same bounds again and again. */
const known = new WeakMap<(place: number) => number, Bounds>();

/** The greatest possible mean of V(x), as a function of the numbers' mean. Numbers are in [-1/2, 1/2], 0 being the middle of the range. */
export function mostNoise(varianceAt: (place: number) => number, square: number): (f: number) => number {
  const bounds = known.get(varianceAt) ?? boundsOf(varianceAt);
  known.set(varianceAt, bounds);
  return (f) => Math.min(...bounds.map(({ weight, hull }) => weight * square + heightAt(hull, inRange(f))));
}
