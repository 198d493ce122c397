/**
 * Norm-sub (Wang et al. 2020, "Locally Differentially Private Frequency Estimation with Consistency", §4.3): the nearest shares, in
 * Euclidean distance, that are not negative and sum to 1 or to another known total. On long lists they are closer to the truth than the
 * estimates. They are biased and have no interval.
 */

/** Subtracts the one constant that makes the positive parts sum to `total`. */
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
