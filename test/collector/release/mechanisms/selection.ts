/** The law of permute-and-flip by its definition: exactly for few candidates, and in doubles for many. */

import { rational } from '../../../proofs/rational.ts';
import { decayed, type ExponentialSum, minus, none, one, plus, term, timesSum } from './exponential-sums.ts';

/** All orders of 0 .. n - 1. */
function orders(n: number): readonly (readonly number[])[] {
  if (n === 0) return [[]];
  return orders(n - 1).flatMap((order) => Array.from({ length: n }, (_, at) => order.toSpliced(at, 0, n - 1)));
}

/** P(r) over all orders: everyone before r is refused, and r is taken. The rate is `numerator / denominator` for one unit of score. */
export function exactSelection(scores: readonly number[], numerator: number, denominator: number): readonly ExponentialSum[] {
  const best = Math.max(...scores);
  const taken = scores.map((score) => decayed(numerator * (best - score), denominator));
  const all = orders(scores.length);
  return scores.map((_, r) => {
    const sum = all.reduce((total, order) => {
      const before = order.slice(0, order.indexOf(r));
      return plus(
        total,
        before.reduce((product, s) => timesSum(product, minus(one, taken[s] as ExponentialSum)), taken[r] as ExponentialSum),
      );
    }, none);
    return timesSum(sum, term(rational(1, all.length)));
  });
}

/** Simpson's rule: the integrand is a polynomial that falls no faster than e^(-candidates t). */
const STEPS = 4000;

/** P(r) by the integral over the time at which r comes. */
export function selectionLaw(scores: ArrayLike<number>, rate: number): Float64Array {
  let best = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < scores.length; i++) best = Math.max(best, scores[i] as number);
  const groups = new Map<number, number>();
  for (let i = 0; i < scores.length; i++) groups.set(scores[i] as number, (groups.get(scores[i] as number) ?? 0) + 1);
  const all = [...groups].map(([score, count]) => ({ score, count, taken: Math.exp(-rate * (best - score)) }));
  const chances = new Map<number, number>();
  for (const { score, taken } of all) {
    let sum = 0;
    for (let step = 0; step <= STEPS; step++) {
      const t = (step / STEPS) ** 2; // steps are denser where the integrand falls
      let log = 0;
      for (const other of all) {
        const count = other.count - Number(other.score === score);
        if (count > 0) log += count * Math.log1p(-other.taken * t);
      }
      const weight = step === 0 || step === STEPS ? 1 : step % 2 === 1 ? 4 : 2;
      sum += weight * Math.exp(log) * 2 * (step / STEPS);
    }
    chances.set(score, (taken * sum) / (3 * STEPS));
  }
  return Float64Array.from({ length: scores.length }, (_, i) => chances.get(scores[i] as number) as number);
}
