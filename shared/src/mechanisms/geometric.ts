/**
 * The two-sided geometric mechanism, clamped: Ghosh, Roughgarden, Sundararajan 2009, "Universally Utility-Maximizing Privacy Mechanisms",
 * §2 (discrete Laplace). In the local model any two counts are neighbours, so one step gets ε/N.
 *
 * Law (counts 0 .. N, T = 2^32): the count plus Z, P(Z = z) = a^|z| (1-a)/(1+a), a = e^(-ε/N), clamped to 0 .. N, so the end cells carry
 * the tails. In integers, tails[m-1] = t(m) with P(Z <= -m) = P(Z >= m) = t(m)/T, so that from count i
 *   P(output < j + 1) = t(i - j)/T for j < i, and 1 - t(j - i + 1)/T for i <= j < N.
 * Inner cells have masses d(0) = T - 2 t(1), d(m) = t(m) - t(m+1) at distance m < N; the end cells t(m), T - t(1) at 0.
 *   e^ε = max((T - t(1)) / t(N), max d / min d)
 * where the first term is a^-N and the second is a^-(N-1), up to rounding.
 */

import { exp, expBelow } from '../arithmetic/exponential.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { assertHeld, assertWhole, type Channel, MODULUS, type Odds, type TallyShape } from './law.ts';

/** The integers of the two-sided geometric mechanism. */
export type GeometricLaw = {
  readonly mechanism: 'geometric';
  /** P(Z <= -m) * 2^32 for m = 1 .. N. The length is the greatest count. */
  readonly tails: readonly number[];
};

/** The greatest count that a law supports. A longer table would bloat the schema. */
const MAX_COUNT = 256;

/** The largest and the least mass of an inner cell; undefined if there are no inner cells. */
function innerMasses(tails: readonly number[], modulus: number): readonly [most: number, least: number] | undefined {
  if (tails.length < 2) return undefined;
  const masses = tails.map((tail, i) => (i === 0 ? modulus - 2 * tail : (tails[i - 1] as number) - tail));
  return [Math.max(...masses), Math.min(...masses)];
}

/**
 * The law over 0 .. max whose ε is at most the requested one.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or max is above 256
 */
export function geometricLaw(max: number, epsilon: number, modulus: number = MODULUS): GeometricLaw {
  assertWhole(max, 1, MAX_COUNT, 'geometric: the greatest count');
  const bound = expBelow(epsilon);
  const step = exp(epsilon / max);
  const tails: number[] = [];
  let scale = step + 1; // t(m) = T a^m / (1 + a) = T / (a^-(m-1) (a^-1 + 1))
  for (let m = 1; m <= max; m++) {
    tails.push(Math.floor(modulus / scale + 0.5));
    scale *= step;
  }
  const high = modulus - (tails[0] as number);
  let last = tails[max - 1] as number;
  // With one step both probabilities of the ratio come from the same tail.
  while ((max === 1 ? modulus - last : high) > bound * last) last++;
  tails[max - 1] = last;
  const [most, least] = innerMasses(tails, modulus) ?? [1, 1];
  const odds = (modulus - (tails[0] as number)) / last;
  assertHeld(least > 0 && most <= bound * least ? odds : Number.POSITIVE_INFINITY, epsilon, `the geometric mechanism up to ${max}`);
  return { mechanism: 'geometric', tails };
}

/** Tails, whatever is counted: the part that this mechanism and the Laplace mechanism share. */
interface TailsLaw {
  readonly mechanism: string;
  readonly tails: readonly number[];
}

/** Throws a RangeError unless the tails form a valid law. */
export function validateTails({ mechanism, tails }: TailsLaw): void {
  assertWhole(Array.isArray(tails) ? tails.length : undefined, 1, MAX_COUNT, `${mechanism}: tails`);
  tails.forEach((tail, i) => {
    assertWhole(tail, 1, i === 0 ? MODULUS / 2 - 1 : (tails[i - 1] as number) - 1, `${mechanism}: tails[${i}]`);
  });
}

/** e^ε of a law of tails. */
export function tailOdds({ tails }: TailsLaw): Odds {
  const ends = [MODULUS - (tails[0] as number), tails[tails.length - 1] as number] as const;
  const inner = innerMasses(tails, MODULUS) ?? ends;
  const larger = BigInt(inner[0]) * BigInt(ends[1]) > BigInt(ends[0]) * BigInt(inner[1]) ? inner : ends;
  return { report: ratio(BigInt(larger[0]), BigInt(larger[1])) };
}

/** One cell for each count. */
export const tailShape = ({ tails }: TailsLaw): TallyShape => ({ cohorts: 1, cells: tails.length + 1, form: 'symbol' });

export const geometric: Channel<GeometricLaw, 'mean'> = /* @__PURE__ */ coded<GeometricLaw, 'mean'>({
  name: 'geometric',
  tells: 'mean',
  meaning: 'Two-sided geometric mechanism: a device adds a random whole number to its count, and sends the sum, clamped.',
  validate: validateTails,
  odds: tailOdds,
  shape: tailShape,
});
