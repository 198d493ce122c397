/** The chi-squared test: one statistic pooled from many independent counts, and the upper tail of its distribution. */

/** A chi-squared statistic. Independent ones add up. */
export interface ChiSquared {
  readonly statistic: number;
  readonly degrees: number;
}

export const pooled = (parts: readonly ChiSquared[]): ChiSquared => ({
  statistic: parts.reduce((total, { statistic }) => total + statistic, 0),
  degrees: parts.reduce((total, { degrees }) => total + degrees, 0),
});

/** Pearson's statistic of counts that add up to `reports`, against their probabilities. */
export const multinomial = (counts: readonly number[], probabilities: readonly number[], reports: number): ChiSquared => ({
  statistic: counts.reduce((total, count, i) => {
    const expected = reports * (probabilities[i] as number);
    return total + (count - expected) ** 2 / expected;
  }, 0),
  degrees: counts.length - 1,
});

/** Test of a count of independent events, against its probability. */
export const binomial = (count: number, probability: number, reports: number): ChiSquared =>
  multinomial([count, reports - count], [probability, 1 - probability], reports);

/** ln Γ(a), by Stirling's series above 15 and the recurrence below (Abramowitz and Stegun 6.1.41, 6.1.15). */
export function logGamma(a: number): number {
  if (a < 15) return logGamma(a + 1) - Math.log(a);
  const square = a * a;
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / a;
  return (a - 0.5) * Math.log(a) - a + 0.5 * Math.log(2 * Math.PI) + series;
}

/** Q(a, x), the regularized upper incomplete gamma function: Press et al., "Numerical Recipes", §6.2. */
function upperGamma(a: number, x: number): number {
  const front = Math.exp(-x + a * Math.log(x) - logGamma(a));
  if (x < a + 1) {
    let [term, total] = [1 / a, 1 / a];
    for (let n = 1; term > total * 1e-16; n++) total += term *= x / (a + n);
    return 1 - front * total;
  }
  // Lentz's method for the continued fraction.
  const tiny = 1e-300;
  let b = x + 1 - a;
  let [c, d] = [1 / tiny, 1 / b];
  let value = d;
  for (let i = 1, change = 0; Math.abs(change - 1) > 1e-15; i++) {
    const factor = -i * (i - a);
    b += 2;
    d = 1 / (factor * d + b || tiny);
    c = b + factor / c || tiny;
    change = c * d;
    value *= change;
  }
  return front * value;
}

/** The probability that chance alone gives a statistic as large as this one. */
export const upperTail = ({ statistic, degrees }: ChiSquared): number => (statistic <= 0 ? 1 : upperGamma(degrees / 2, statistic / 2));

/** P(at most so many of these trials succeed). */
export function atMost(hits: number, trials: number, chance: number): number {
  let term = trials * Math.log1p(-chance); // in logarithms: the first of thousands would be 0
  let sum = 0;
  for (let k = 0; k <= hits; k++) {
    sum += Math.exp(term);
    term += Math.log(((trials - k) / (k + 1)) * (chance / (1 - chance)));
  }
  return Math.min(1, sum);
}
