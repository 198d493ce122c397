/**
 * The shuffle model: n devices report by one law, and the collector sees the reports without their order or their senders. For each of them
 * the reports of the others are cover. δ(ε) below is the least δ for which what the collector sees is (ε, δ)-differentially private, whatever
 * the other n - 1 answers are, as if the collector knew them all. The local ε of a report holds besides, and without the shuffler.
 *
 * From above (Balle, Bell, Gascón, Nissim 2019, "The Privacy Blanket of the Shuffle Model", lemma 5.3): let the collector see which reports
 * are not drawn from the blanket (pair.ts), too. Each of n reports is then an output y of the blanket with its weight w(y), or nothing. If A
 * and B are the device's two answers, the likelihood ratio of a histogram against that of n such draws is the mean of A(y)/w(y), so
 *   δ(ε) <= E[(L₁ + … + L_n)_+] / n,   L = (A(y) - e^ε B(y)) / w(y), or 0 for nothing.
 * From below: let all others have a third answer of probabilities C. For any event over the histogram, δ(ε) >= P_A - e^ε P_B. The event here
 * is "the sum of the n values (A - e^ε* B)/C exceeds t", which is the best one at ε = ε*. Given the device's own output y, the others' part
 * is a sum of n - 1 independent values.
 * Two answers have neither a third one nor need bounds: two-answers.ts.
 *
 * The sums are computed in sum.ts, with bounds of all errors, and enter outwards.
 */

import { assertWhole, MODULUS } from '../mechanisms/law.ts';
import type { Law } from '../mechanisms/table.ts';
import { type Amplification, bisect, localDelta } from './bounds.ts';
import { type OutputClass, oddsOf, type Pair, pairsOf } from './pair.ts';
import { above, excess, sumOf } from './sum.ts';
import { twoAnswers } from './two-answers.ts';

/**
 * An upper bound of δ for a pair. Rounding of probabilities by a few units u of the last place changes the sum's law by a factor of at most 1
 * + n u, and that of values the expectation by at most u Σ |A - e^ε B|.
 */
function pairAbove(pair: Pair, n: number, epsilon: number): number {
  const e = Math.exp(epsilon);
  const atoms = pair
    .filter(({ blanket }) => blanket > 0)
    .map(({ first, second, blanket }) => ({ value: (first - e * second) / blanket, probability: blanket }));
  return (excess(sumOf([{ atoms, times: n }]), 0) / n) * (1 + n * 2 ** -48) + (1 + e) * 2 ** -50;
}

type Told = OutputClass & { readonly third: number };

/** The largest ε that an event shows to be needed at δ. */
function pairBelow(pair: readonly Told[], n: number, delta: number, near: number): number {
  const e = Math.exp(near);
  const outputs = pair.filter(({ third }) => third > 0).map((each) => ({ ...each, value: (each.first - e * each.second) / each.third }));
  const others = sumOf([{ atoms: outputs.map(({ value, third }) => ({ value, probability: third })), times: n - 1 }]);
  const needed = (t: number): number => {
    let [first, second] = [0, 0];
    for (const { value, first: a, second: b } of outputs) {
      const { value: chance, error } = above(others, t - value);
      first += a * Math.max(0, chance - error);
      second += b * Math.min(1, chance + error);
    }
    return Math.log(Math.max(1, (first * (1 - n * 2 ** -48) - delta) / (second * (1 + n * 2 ** -48))));
  };
  const spread = (others.high - others.low) / 200;
  return Math.max(...Array.from({ length: 21 }, (_, i) => needed((i - 10) * spread)));
}

/**
 * The amplification of n reports by one law.
 *
 * @param n the number of honest devices whose reports can't be told apart, a whole number from 1
 * @throws {RangeError} for the law of a permanent metric
 */
export function amplification(law: Law, n: number): Amplification {
  assertWhole(n, 1, 2 ** 32, 'shuffle: n');
  const pairs = pairsOf(law);
  const local = Math.log(oddsOf(law)) + 2 ** -48;
  if (law.mechanism === 'k-ary' && law.size === 2) return twoAnswers(1 - law.truth / MODULUS, n, local);
  const above = (epsilon: number): number => {
    const alone = localDelta(local, epsilon);
    return alone === 0 ? 0 : Math.min(alone, Math.max(...pairs.map((pair) => pairAbove(pair, n, epsilon))));
  };
  const epsilon = (delta: number): number => bisect((middle) => above(middle) <= delta, 0, local);
  const [first = []] = pairs;
  if (n === 1 || !first.every((each): each is Told => each.third !== undefined)) return { local, above, epsilon };
  const leastEpsilon = (delta: number): number => {
    let [least, near] = [0, epsilon(delta)];
    // The event that is best at an ε shows little where that is far above what is needed, so smaller ones are tried.
    for (let i = 0; i < 8 && least < near; i++, near *= 0.9) least = Math.max(least, pairBelow(first, n, delta, near));
    return least;
  };
  return { local, above, epsilon, leastEpsilon };
}

/**
 * The closed form of Feldman, McMillan, Talwar 2022, theorem 3.1, for any law of ε₀, where it is valid: ε₀ <= ln(n / (16 ln(2/δ))). Else ε₀.
 */
export function closedForm(local: number, n: number, delta: number): number {
  if (local > Math.log(n / (16 * Math.log(2 / delta)))) return local;
  const e = Math.exp(local);
  return Math.log1p(((e - 1) / (e + 1)) * ((8 * Math.sqrt(e * Math.log(4 / delta))) / Math.sqrt(n) + (8 * e) / n));
}
