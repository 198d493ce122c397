/**
 * Sums S of independent values, each of a law with few values, plus a Gaussian G whose standard deviation τ is a hundredth of theirs: expectations
 * of S + G, from above or with a bound of the error. The Gaussian makes the bounds that are built on them no narrower; each says why.
 *
 * Let Z = S + G - E[S], φ its characteristic function, and h a function on a window [low, high), extended with its period Λ. Then E[h(Z)] =
 * Σ_k h_k φ(2πk/Λ), with the Fourier coefficients h_k of h. The series converges fast, because φ has the Gaussian's factor exp(-τ²t²/2), and
 * is cut where that is below e^-40. The window ends where Chernoff's bound says P(Z > high), P(Z < low) <= 10^-18.
 *
 * Rounding: φ(t) = exp(n ln φ₁(t)) is computed from φ₁ - 1 = Σ p (-2 sin²(θ/2) + i sin θ), which cancels nothing, so its relative error is at
 * most a few units u of the last place times 1 + n Σ p |θ| / |φ₁|. The error of an expectation adds up those of its terms.
 */

/** A value and its probability. */
export interface Atom {
  readonly value: number;
  readonly probability: number;
}

/** So many independent values of one law. Probabilities that are missing to 1 are those of the value 0. */
export interface Draws {
  readonly atoms: readonly Atom[];
  readonly times: number;
}

/** A number and a bound of its error. */
interface Approximate {
  readonly value: number;
  readonly error: number;
}

/** The Gaussian's standard deviation as a share of the sum's. */
const SMOOTHING = 0.01;
/** The largest exponent of Chernoff's bound, far from where doubles overflow. */
const LARGEST_EXPONENT = 500;
/** About the most terms of a series. Where the window is very wide, for a sum of few rare values, the Gaussian is wider instead. */
const MOST_TERMS = 20_000;
/** Each tail outside the window, as a natural logarithm and as a probability. */
const LOG_TAIL = Math.log(1e18);
const TAIL = 1e-18;
/** τt where the series is cut: e^(-9²/2) < 3e-18. */
const LAST = 9;
const UNIT = 2 ** -52;
/** The least |φ₁|² that is told from 0. */
const LEAST = 2 ** -50;

/** A sum with its window and the terms of its characteristic function. */
export interface Sum {
  readonly mean: number;
  /** The variance of the Gaussian, τ². */
  readonly added: number;
  readonly low: number;
  readonly high: number;
  /** Real and imaginary part and relative error of φ at 2πk / (high - low), for k = 1, 2, … */
  readonly terms: Float64Array;
}

/** Draws whose probabilities are complete, and the mean of their law. */
function complete({ atoms, times }: Draws): Draws & { readonly mean: number } {
  const rest = 1 - atoms.reduce((sum, { probability }) => sum + probability, 0);
  const all = [...atoms, { value: 0, probability: rest }].filter(({ probability }) => probability > 0);
  return { atoms: all, times, mean: all.reduce((sum, { value, probability }) => sum + value * probability, 0) };
}

type Complete = ReturnType<typeof complete>;

/** The least (ψ(λ) + ln 10^18) / λ over λ > 0: beyond it, Chernoff's bound of the tail is below 10^-18. `sign` chooses the tail. */
function edge(draws: readonly Complete[], deviation: number, tau: number, sign: 1 | -1): number {
  const at = (log: number): number => {
    const lambda = Math.exp(log);
    let psi = (lambda * tau) ** 2 / 2;
    for (const { atoms, times, mean } of draws) {
      let above = 0;
      for (const { value, probability } of atoms) above += probability * Math.expm1(sign * lambda * (value - mean));
      psi += times * Math.log1p(above);
    }
    return (psi + LOG_TAIL) / lambda;
  };
  const farthest = Math.max(...draws.flatMap(({ atoms, mean }) => atoms.map(({ value }) => Math.abs(value - mean))));
  const most = Math.log(Math.min(100 / deviation, LARGEST_EXPONENT / farthest));
  const golden = (Math.sqrt(5) - 1) / 2;
  let [from, to] = [most - Math.log(1000), most];
  for (let i = 0; i < 40; i++) {
    const [left, right] = [to - golden * (to - from), from + golden * (to - from)];
    if (at(left) <= at(right)) to = right;
    else from = left;
  }
  return at(from);
}

/** The sum of all draws. */
export function sumOf(all: readonly Draws[]): Sum {
  const draws = all.map(complete);
  const spread = ({ atoms, mean }: Complete): number =>
    atoms.reduce((sum, { value, probability }) => sum + probability * (value - mean) ** 2, 0);
  const deviation = Math.sqrt(draws.reduce((sum, each) => sum + each.times * spread(each), 0));
  const edges = (tau: number): readonly [low: number, high: number] => [-edge(draws, deviation, tau, -1), edge(draws, deviation, tau, 1)];
  const [left, right] = edges(SMOOTHING * deviation);
  const tau = Math.max(SMOOTHING * deviation, ((right - left) * LAST) / (2 * Math.PI * MOST_TERMS));
  const [low, high] = edges(tau);
  const step = (2 * Math.PI) / (high - low);
  const terms = new Float64Array(3 * Math.ceil(LAST / (tau * step)));
  for (let k = 1; 3 * k <= terms.length; k++) {
    const t = k * step;
    let [log, angle, error] = [-((tau * t) ** 2) / 2, 0, 64];
    for (const { atoms, times, mean } of draws) {
      let [re, im, size] = [0, 0, 0];
      for (const { value, probability } of atoms) {
        const theta = t * (value - mean);
        re -= 2 * probability * Math.sin(theta / 2) ** 2;
        im += probability * Math.sin(theta);
        size += probability * Math.abs(theta);
      }
      const square = Math.max(2 * re + re * re + im * im, LEAST - 1);
      const one = 0.5 * Math.log1p(square);
      log += times * one;
      angle += times * Math.atan2(im, 1 + re);
      error += (8 * times * (size + (square > LEAST - 1 ? 0 : 32))) / Math.exp(one);
    }
    const absolute = Math.exp(log);
    terms[3 * k - 3] = absolute * Math.cos(angle);
    terms[3 * k - 2] = absolute * Math.sin(angle);
    terms[3 * k - 1] = absolute * UNIT * (error + Math.abs(angle));
  }
  return { mean: draws.reduce((sum, { mean, times }) => sum + times * mean, 0), added: tau * tau, low, high, terms };
}

/** E[h(Z)] for a periodic h, from the integrals of h(z) and of h(z) exp(-itz) over the window. */
function expectation({ low, high, terms }: Sum, whole: number, integral: (t: number) => readonly [re: number, im: number]): Approximate {
  const width = high - low;
  let [value, error] = [whole / width, (whole / width) * 16 * UNIT];
  for (let k = 1; 3 * k <= terms.length; k++) {
    const t = (2 * Math.PI * k) / width;
    const [re, im] = integral(t);
    const [a, b, own] = [terms[3 * k - 3] as number, terms[3 * k - 2] as number, terms[3 * k - 1] as number];
    value += (2 / width) * (a * re - b * im);
    error += (2 / width) * (Math.abs(re) + Math.abs(im)) * (own + Math.hypot(a, b) * UNIT * (64 + t * width));
  }
  return { value, error };
}

/** An upper bound of E[(S - c)_+]. With the Gaussian, which is independent and has the mean 0, it only grows (Jensen). */
export function excess(sum: Sum, c: number): number {
  const kink = c - sum.mean;
  const width = sum.high - sum.low;
  const tail = 8 * width * TAIL;
  if (kink >= sum.high) return tail;
  const from = Math.max(kink, sum.low);
  const [rise, span] = [from - kink, sum.high - from];
  const { value, error } = expectation(sum, span * (span / 2 + rise), (t) => {
    // By parts, u = z - from: the integral of (u + rise) exp(-itu), then turned by exp(-it from).
    const [cos, sin] = [Math.cos(t * span), Math.sin(t * span)];
    const re = ((span + rise) * sin) / t + (cos - 1) / (t * t);
    const im = ((span + rise) * cos - rise) / t - sin / (t * t);
    const [turn, back] = [Math.cos(t * from), Math.sin(t * from)];
    return [re * turn + im * back, im * turn - re * back];
  });
  return Math.max(0, value) + error + tail;
}

/** P(S + G > c). */
export function above(sum: Sum, c: number): Approximate {
  const from = c - sum.mean;
  if (from >= sum.high) return { value: 0, error: TAIL };
  if (from <= sum.low) return { value: 1, error: TAIL };
  const { value, error } = expectation(sum, sum.high - from, (t) => [
    (Math.sin(t * sum.high) - Math.sin(t * from)) / t,
    (Math.cos(t * sum.high) - Math.cos(t * from)) / t,
  ]);
  return { value, error: error + 8 * TAIL };
}

/**
 * An upper bound of E[(1 - e^(c - S - G - τ²/2))_+]. For a sum of privacy losses this is δ(c), with one more mechanism beside them: a Gaussian
 * one has normal losses, whose mean is half of their variance (Balle and Wang 2018, "Improving the Gaussian Mechanism", lemma 3).
 */
export function lossAbove(sum: Sum, c: number): number {
  const kink = c - sum.mean - sum.added / 2;
  if (kink >= sum.high) return 8 * TAIL;
  const from = Math.max(kink, sum.low);
  const [start, end] = [Math.exp(kink - from), Math.exp(kink - sum.high)];
  const { value, error } = expectation(sum, sum.high - from - (start - end), (t) => {
    const [c0, s0, c1, s1] = [Math.cos(t * from), Math.sin(t * from), Math.cos(t * sum.high), Math.sin(t * sum.high)];
    // The integral of exp(kink - z - itz) is [start e^(-it from) - end e^(-it high)] / (1 + it).
    const [x, y] = [start * c0 - end * c1, -(start * s0 - end * s1)];
    const below = 1 + t * t;
    return [(s1 - s0) / t - (x + t * y) / below, (c1 - c0) / t - (y - t * x) / below];
  });
  return Math.max(0, value) + error + 8 * TAIL;
}
