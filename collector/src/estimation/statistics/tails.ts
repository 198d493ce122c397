/**
 * Upper tails of the chi-squared and the normal distribution, and their inversion.
 *
 * The chi-squared distribution's tail is computed by the regularized incomplete gamma function (Abramowitz and Stegun 1964, §6.5).
 * `@stdlib/math-base-special-gammainc` 0.3.1 agrees to 12 digits up to 900 degrees of freedom. With 99,000 it is wrong by 1.6e-3
 * of the value (P(X > 100,000) = 0.0125031, it gives 0.0125226), and it brings 200 packages.
 */

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** ln Γ(x) for x > 0 (Lanczos 1964, g = 7, nine terms: 15 digits). */
export function logGamma(x: number): number {
  const sum = LANCZOS.slice(1).reduce<number>((total, term, i) => total + term / (x + i), LANCZOS[0]);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const ENOUGH = 1e-15;

/** P(a, x) by its series, §6.5.29: fast for x < a + 1. */
function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; term > sum * ENOUGH; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/** Q(a, x) by its continued fraction, §6.5.31, evaluated forwards (Lentz 1976): fast for x >= a + 1. */
function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = Number.MAX_VALUE;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1, factor = 0; Math.abs(factor - 1) > ENOUGH; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    factor = d * c;
    fraction *= factor;
  }
  return fraction;
}

/**
 * P(a chi-squared variable with this many degrees of freedom exceeds `statistic`). Accurate far into the tail, where p-values are small.
 *
 * @throws {RangeError} when an argument is out of range
 */
export function chiSquaredTail(statistic: number, degrees: number): number {
  if (!(degrees > 0 && statistic >= 0)) {
    throw new RangeError(`chi-squared: expected a statistic of at least 0 and degrees above 0, got ${statistic} and ${degrees}`);
  }
  const [a, x] = [degrees / 2, statistic / 2];
  if (x === 0) return 1;
  const scale = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - scale * lowerSeries(a, x) : scale * upperFraction(a, x);
}

/** The same with a noncentrality: a mixture over Poisson numbers of two more degrees each (Johnson, Kotz and Balakrishnan 1995, §29.4). */
export function noncentralTail(statistic: number, degrees: number, noncentrality: number): number {
  let tail = 0;
  for (let [j, weight] = [0, Math.exp(-noncentrality / 2)]; j < noncentrality || weight > ENOUGH; j++) {
    tail += weight * chiSquaredTail(statistic, degrees + 2 * j);
    weight *= noncentrality / 2 / (j + 1);
  }
  return tail;
}

// The standard normal distribution's upper tail, as accurate far out as that of chi-squared (Z² has one degree of freedom), and its inverse.

/** Two-sided 95 % of the normal distribution. */
export const Z95 = 1.959963984540054;

/** P(Z > z). 0 beyond 38. */
export function normalTail(z: number): number {
  const outside = chiSquaredTail(z * z, 1) / 2;
  return z >= 0 ? outside : 1 - outside;
}

/** The z that is exceeded with this probability, from -38 to 38. */
export function normalQuantile(probability: number): number {
  let [low, high] = [-38, 38];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** From here on the continued fraction is exact to double precision. */
const FAR = 5;
const TERMS = 40;

/** ln P(Z > z), also where the tail itself is too small for a double. Far out by Laplace's continued fraction for Mills' ratio: φ(z) / (z + 1/(z + 2/(z + 3/(z + ...)))). */
export function logUpperTail(z: number): number {
  if (z < FAR) {
    const beyond = chiSquaredTail(z * z, 1) / 2;
    return Math.log(z < 0 ? 1 - beyond : beyond);
  }
  let rest = z;
  for (let term = TERMS; term > 0; term--) rest = z + term / rest;
  return (-z * z) / 2 - Math.log(rest * Math.sqrt(2 * Math.PI));
}

/** The point between `from` and `to` at which a condition that holds at `from` stops holding, by halving. */
export function endOf(from: number, to: number, holds: (f: number) => boolean): number {
  let [inside, outside] = [from, to];
  for (let halving = 0; halving < 60; halving++) {
    const middle = (inside + outside) / 2;
    if (holds(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}
