/**
 * Exact ρ of zero-concentrated differential privacy (Bun and Steinke 2016) of mechanisms with a pure ε, rounded up. ρ is the supremum of
 * D_α(P‖Q)/α over neighbours and α > 1, with the Rényi divergence D_α = ln M(α) / (α-1), M(α) = Σ P^α Q^(1-α).
 *
 * Lemma. Let M, as a function of y = (2α-1)², be entire of order below 1, positive at 0 and with negative real zeros only. By Hadamard it is
 * M(0) Π (1 + y/c_j), c_j > 0, so ln M is concave in y. M = 1 at y = 1, and y - 1 = 4α(α-1). So ln M <= 4α(α-1) (ln M)'(1), that is
 * D_α <= α c with a constant c, and α -> 1 gives c = KL(P‖Q). Hence the supremum is the Kullback-Leibler divergence.
 *
 * Any ε-differentially private mechanism. Two neighbours' laws are what is computed from a coin with e^ε/(1+e^ε) or 1/(1+e^ε) (Kairouz, Oh,
 * Viswanath 2015, theorem 2.5), whose D_α is not smaller. With s = 2α-1 its M = cosh(sε/2) / cosh(ε/2): zeros at imaginary s, so
 *   ρ = ε tanh(ε/2)
 *
 * Two-sided geometric noise with a = e^-r, moved by d. Summed over z <= 0, 0 < z < d and z >= d,
 *   M = (1-a)/(1+a) a^(d/2) ( 2 cosh(srd/2)/(1-a) + Σ_{0<k<d} cosh(sr(k - d/2)) )
 * With sr = iθ and w = e^iθ its zeros are those of (1+w^d)/(1-a) + w + .. + w^(d-1), times (1-a)(1-w): 1 - aw = w^d (w - a). So
 * w^d (w-a)/(1-aw) = 1, and that is a Blaschke product, whose size is 1 on the unit circle only. So θ is real, y = -θ²/r² is negative, and
 *   ρ = KL = r (d - 2a (1 - a^d) / (1 - a²))
 * (Harrison and Manurangsi 2025 have it by other means.) For d = 1 it is r tanh(r/2). It grows by r (1 - 2a^(d+1)/(1+a)) with each d, more
 * each time. So moving several numbers by d in all costs no more than moving one of them by d.
 */

import { type Ratio, ratio } from '@murmuration/shared';

/** Fixed-point numbers have so many binary places. */
const BITS = 192n;
const UNIT = 1n << BITS;

/**
 * Bounds of e^-x, by its series at x/2^k <= 1/2 and k squarings, each step rounded outwards. The terms of the series alternate and fall, so
 * it errs by at most one unit for each term's rounding and one for what is left out.
 */
function decayBounds({ numerator, denominator }: Ratio): readonly [low: bigint, high: bigint] {
  let halvings = 0n;
  while (2n * numerator > denominator << halvings) halvings++;
  const scaled = denominator << halvings;
  let [sum, term, k] = [0n, UNIT, 0n];
  while (term > 0n) {
    sum += k % 2n === 0n ? term : -term;
    k++;
    term = (term * numerator) / (k * scaled);
  }
  const off = 2n * k + 2n;
  let [low, high] = [sum > off ? sum - off : 0n, sum + off];
  for (let i = 0n; i < halvings; i++) [low, high] = [(low * low) / UNIT, (high * high) / UNIT + 1n];
  return [low, high];
}

/** ρ is rounded up to so many decimals, so that sums of charges are short. */
const PLACES = 10n ** 12n;

const roundedUp = (numerator: bigint, denominator: bigint): Ratio => ratio((numerator * PLACES + denominator - 1n) / denominator, PLACES);

/** ρ of any mechanism with this ε: ε (1 - e^-ε) / (1 + e^-ε), which falls in e^-ε. */
export function pureRho(epsilon: Ratio): Ratio {
  const [low] = decayBounds(epsilon);
  return roundedUp(epsilon.numerator * (UNIT - low), epsilon.denominator * (UNIT + low));
}

/** ρ of two-sided geometric noise with parameter e^-rate for numbers that one unit of privacy moves by up to `shift` together. */
export function geometricRho(rate: Ratio, shift: number): Ratio {
  const d = BigInt(shift);
  const [low] = decayBounds(rate);
  const [, highest] = decayBounds(ratio(rate.numerator * d, rate.denominator));
  // a at its least and a^d at its most give the least 2a (1 - a^d) / (1 - a²), and so the largest ρ.
  const [above, below] = [2n * low * (UNIT - highest), UNIT * UNIT - low * low];
  return roundedUp(rate.numerator * (d * below - (above > 0n ? above : 0n)), rate.denominator * below);
}
