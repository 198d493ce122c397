/** Bounds of the shuffle model for n reports by one law (amplified.ts), and how ε is found from δ. */

export interface Amplification {
  /** ε of one report, which holds without a shuffler. */
  readonly local: number;
  /** An upper bound of δ at a given ε; 0 from the local ε on. */
  readonly above: (epsilon: number) => number;
  /** An upper bound of the least ε for a δ above 0, at most the local one. */
  readonly epsilon: (delta: number) => number;
  /** A lower bound of the least ε for a δ: no proof can give less. Absent where no telling event is known for the law. */
  readonly leastEpsilon?: (delta: number) => number;
}

/** Steps of a bisection: more than the digits of a double. */
const STEPS = 60;

/** How near a bisection comes, as a share of what it finds. */
export const PRECISION = 1e-9;

/** δ(ε) of a report that nobody hides (Kairouz, Oh, Viswanath 2015, theorem 2): no shuffle makes it larger. */
export const localDelta = (local: number, epsilon: number): number =>
  epsilon >= local ? 0 : -Math.expm1(epsilon - local) / (1 + Math.exp(-local));

/** The least number between two at which a condition that stays true holds, rounded up; `high` if it holds nowhere below. */
export function bisect(isEnough: (middle: number) => boolean, low: number, high: number): number {
  for (let i = 0; i < STEPS && high - low > PRECISION * high; i++) {
    const middle = (low + high) / 2;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
