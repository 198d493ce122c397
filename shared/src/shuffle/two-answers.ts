/**
 * Two answers that are flipped with probability q < 1/2, p = 1 - q: the exact (ε, δ) of n shuffled reports. What the collector sees is the
 * number of ones. Let b of the n - 1 others have the answer 1 and a the answer 0, and let f be the distribution of their ones, Y = Bin(a, q) +
 * Bin(b, p). With the answer 1 the collector sees y with probability p f(y-1) + q f(y), with 0 with q f(y-1) + p f(y). f is log-concave, so
 * their ratio grows with y, and the best event is "at least t":
 *   δ(ε) = max over t of (p - e^ε q) P(Y = t-1) - (e^ε - 1) P(Y >= t)
 * The promise is for all a and b, and the worst need not be at an end. Fewer others hide less. So for b from b₁ to b₂, the composition of
 * n - 1 - b₂ zeros and b₁ ones is a bound, and k such groups cost at most a k-th of n: 128 groups, and 16 above 4 million devices. Where a
 * group is one composition, the bound is exact. Everything is a sum of positive terms, so the relative error is a few thousand units of the last place.
 */

import { type Amplification, bisect, localDelta, PRECISION } from './bounds.ts';

/** The most devices for which each composition is a group of its own. */
const MOST_EXACT = 2048;
/** The number of groups beyond, and the number where a binomial has very many values. */
const [GROUPS, FEW_GROUPS] = [128, 16];
const MOST_GROUPED = 2 ** 22;
/** The most devices that are reckoned with. More hide more. */
const MOST = 2 ** 27;
/** Terms below this share of the largest are left out; what they sum to enters the bounds outwards. */
const LEAST = 1e-26;
/** The relative error of the sums, generously. */
const ROUNDING = 1e-9;
/** The absolute error: what was left out, and the rounding of p - e^ε q near the local ε. */
const ABSOLUTE = 1e-15;

/** The distribution of a binomial, where it is not negligible. */
interface Binomial {
  readonly start: number;
  readonly masses: Float64Array;
  /** P(at least start + i), for i from 0 to the number of masses. */
  readonly tails: Float64Array;
}

function binomial(n: number, p: number): Binomial {
  const mode = Math.min(n, Math.floor((n + 1) * p));
  const [up, down]: [number[], number[]] = [[], []];
  for (let k = mode, mass = 1; k <= n && mass > LEAST; k++) {
    up.push(mass);
    mass *= ((n - k) * p) / ((k + 1) * (1 - p));
  }
  for (let k = mode, mass = 1; k > 0 && mass > LEAST; k--) {
    mass *= (k * (1 - p)) / ((n - k + 1) * p);
    down.push(mass);
  }
  const all = [...down.reverse(), ...up];
  const tails = new Float64Array(all.length + 1);
  for (let i = all.length - 1; i >= 0; i--) tails[i] = (tails[i + 1] as number) + (all[i] as number);
  const total = tails[0] as number;
  return {
    start: mode - down.length,
    masses: Float64Array.from(all, (mass) => mass / total),
    tails: tails.map((tail) => tail / total),
  };
}

/** The others: how many have the answer 0, and how many 1. */
class Others {
  readonly #a: Binomial;
  readonly #b: Binomial;
  readonly #q: number;
  /** P(Y = t) and P(Y >= t) by t, as far as they were needed. */
  readonly #known = new Map<number, readonly [mass: number, tail: number]>();

  constructor(zeros: number, ones: number, q: number) {
    this.#a = binomial(zeros, q);
    this.#b = binomial(ones, 1 - q);
    this.#q = q;
  }

  #at(t: number): readonly [mass: number, tail: number] {
    const known = this.#known.get(t);
    if (known !== undefined) return known;
    const [{ start, masses }, b] = [this.#a, this.#b];
    let [mass, tail] = [0, 0];
    for (let i = 0; i < masses.length; i++) {
      const j = t - start - i - b.start;
      const each = masses[i] as number;
      if (j < 0) tail += each;
      else if (j < b.masses.length) {
        mass += each * (b.masses[j] as number);
        tail += each * (b.tails[j] as number);
      }
    }
    this.#known.set(t, [mass, tail]);
    return [mass, tail];
  }

  /** δ(ε) of the answer 1 against the answer 0. */
  delta(epsilon: number): number {
    const [q, e] = [this.#q, Math.exp(epsilon)];
    const [up, down] = [1 - q - e * q, e * (1 - q) - q];
    if (up <= 0) return 0;
    let low = this.#a.start + this.#b.start; // the event "at least low" is certain
    let high = low + this.#a.masses.length + this.#b.masses.length;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (up * this.#at(middle - 1)[0] >= down * this.#at(middle)[0]) high = middle;
      else low = middle;
    }
    return Math.max(0, up * this.#at(high - 1)[0] - Math.expm1(epsilon) * this.#at(high)[1]);
  }
}

/** The largest δ(ε) of several compositions, and the one that has it. */
function worst(all: readonly Others[], epsilon: number): readonly [delta: number, others: Others] {
  let [most, which] = [-1, all[0] as Others];
  for (const others of all) {
    const delta = others.delta(epsilon);
    if (delta > most) [most, which] = [delta, others];
  }
  return [most, which];
}

/** The least ε at which no composition has more than δ: that of one composition, then of the worst at this ε, until it is the worst. */
function leastEpsilon(all: readonly Others[], delta: number, local: number): number {
  let [epsilon, which] = [0, all[0] as Others];
  while (delta > 0 && epsilon < local) {
    const each = which;
    epsilon = bisect((middle) => each.delta(middle) <= delta, epsilon, local);
    const [most, next] = worst(all, epsilon);
    if (most <= delta) return epsilon;
    which = next;
  }
  return local;
}

/**
 * A response of two answers among n reports: δ(ε) from above; ε from above, and what some composition of the others shows to be needed.
 *
 * @param q P(the other answer)
 * @param devices n, whatever is above 2^27 left out
 */
export function twoAnswers(q: number, devices: number, local: number): Amplification {
  const n = Math.min(devices, MOST);
  const step = n <= MOST_EXACT ? 1 : Math.ceil(n / (n <= MOST_GROUPED ? GROUPS : FEW_GROUPS));
  const starts = Array.from({ length: Math.ceil(n / step) }, (_, i) => i * step);
  const upper = starts.map((ones) => new Others(Math.max(0, n - ones - step), ones, q));
  const lower = step === 1 ? upper : starts.map((ones) => new Others(n - 1 - ones, ones, q));
  return {
    local,
    above: (epsilon) => Math.min(localDelta(local, epsilon), worst(upper, epsilon)[0] * (1 + ROUNDING) + ABSOLUTE),
    epsilon: (delta) => leastEpsilon(upper, (delta - ABSOLUTE) * (1 - ROUNDING), local),
    leastEpsilon: (delta) => leastEpsilon(lower, (delta + ABSOLUTE) * (1 + ROUNDING), local) * (1 - 2 * PRECISION),
  };
}
