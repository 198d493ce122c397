/**
 * Norm-sub (Wang et al. 2020, "Locally Differentially Private Frequency Estimation with Consistency", §4.3): the nearest
 * shares that are not negative and sum to 1, or to what they are known to, in the Euclidean sense. Closer to the truth than the estimates on long
 * lists, but biased: it carries no interval.
 */

/** Subtracts the one number that makes the positive parts sum to `total`. */
export function normSub(estimates: readonly number[], total = 1): number[] {
  const falling = [...estimates].sort((a, b) => b - a);
  let sum = 0;
  let excess = 0;
  falling.forEach((estimate, i) => {
    sum += estimate;
    const shift = (sum - total) / (i + 1);
    if (estimate > shift) excess = shift;
  });
  return estimates.map((estimate) => Math.max(0, estimate - excess));
}
