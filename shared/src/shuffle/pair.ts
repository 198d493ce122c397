/**
 * Two answers of a law side by side, as the shuffle model needs them: the outputs in classes, each with its probability under either answer
 * and with a weight that every answer gives it at least. These weights are the law's privacy blanket (Balle, Bell, Gascón, Nissim 2019,
 * "The Privacy Blanket of the Shuffle Model", §3): with probability γ, their sum, a report is drawn from them whatever its answer.
 *
 * Sets (k-ary response, subset selection, Hadamard and projective response, PrivSet, hashing for a drawn hash): an answer has a set of
 * outputs, a share σ of them all, and one inside is r = e^ε times as likely as one outside. The blanket is uniform, γ = 1 / (σ r + 1 - σ),
 * and a class of share s has the probability γ s r or γ s. Let two sets share β. A smaller β takes equal masses from the classes "both" and
 * "neither" and gives them to "first" and "second", whose mean is the same and which lie further apart, so it tells more (amplified.ts: the
 * expectation of a convex function). So 0 is a bound for hashes of strings, and the β of disjoint answers one for PrivSet.
 *
 * Bits (unary encoding, one-time RAPPOR, count mean sketch): an answer has h bits, each 1 with p, the others with q < p. Relative to a report
 * of zeros alone, an own bit is p/q times as likely to be 1 and ρ = (1-p)/(1-q) times to be 0. So every answer gives a report at least ρ^h of
 * what zeros give it, and γ = ρ^h. Two answers may share any number of bits below h; each number is a pair. Hashes of a string may meet, so
 * that it has fewer bits: one more bit multiplies its probabilities by an independent factor of mean 1, so more bits tell more.
 *
 * Any other law: two of its rows are one post-processing of (r, 1)/(r + 1) and (1, r)/(r + 1) (Kairouz, Oh, Viswanath 2015, "The
 * Composition Theorem for Differential Privacy", theorem 2), and every row is at least 1/r of either: a blanket of γ = 1/r, half of it on
 * each of the two outputs (Feldman, McMillan, Talwar 2022, "Hiding Among the Clones", theorem 3.2).
 */

import { bitSupport } from '../mechanisms/bits.ts';
import { familyOf } from '../mechanisms/cohorts.ts';
import { pointCount } from '../mechanisms/points.ts';
import type { PrivSetLaw } from '../mechanisms/privset.ts';
import { type Law, mechanismOf } from '../mechanisms/table.ts';

/** A class of outputs. */
export interface OutputClass {
  /** Its probability under the first answer. */
  readonly first: number;
  /** Its probability under the second answer. */
  readonly second: number;
  /** Its probability at least, under any answer. */
  readonly blanket: number;
  /** Its probability under a third answer, whose bits or set meet the others' as little as they can; if there is one. */
  readonly third?: number;
}

/** The classes of the outputs for two answers. */
export type Pair = readonly OutputClass[];

/** The shares of one set, of two sets' and of three sets' common outputs. */
interface Shares {
  readonly one: number;
  readonly two: number;
  readonly three?: number;
}

/** e^ε of one report, to double precision. */
export function oddsOf(law: Law): number {
  const { numerator, denominator } = mechanismOf(law).odds(law).report;
  return Number((numerator << 64n) / denominator) / 2 ** 64;
}

/** A quotient to double precision. */
const quotient = (numerator: bigint, denominator: bigint): number => {
  const scale = 2n ** BigInt(Math.max(0, 64 + denominator.toString(2).length - numerator.toString(2).length));
  return Number((numerator * scale) / denominator) / Number(scale);
};

/** The shares of subsets that meet one, two and three disjoint padded sets; the third is that of no answers, which has dummies only. */
function ofSubsets({ size, atMost, subset }: PrivSetLaw): Shares {
  const most = size < 2 * atMost ? 2 : 3;
  /** The subsets that miss so many disjoint sets, up to a common factor. */
  const missing = (sets: number): bigint => {
    let ways = 1n;
    for (let j = 0; j < most * atMost; j++) ways *= BigInt(Math.max(0, size + atMost - j - (j < sets * atMost ? subset : 0)));
    return ways;
  };
  const [all, one, two] = [missing(0), missing(1), missing(2)];
  return {
    one: quotient(all - one, all),
    two: quotient(all - 2n * one + two, all),
    ...(most === 3 && { three: quotient(all - 3n * one + 3n * two - missing(3), all) }),
  };
}

/** True if all answers are points of one line, so that what two sets share is in the set of any third. Else the third is off their line. */
const isOneLine = ({ size, order }: { readonly size: number; readonly order: number }): boolean => size <= order + 1;

/** The sets of a law, as shares; undefined if it has none. */
function sharesOf(law: Law): Shares | undefined {
  switch (law.mechanism) {
    case 'k-ary':
      return { one: 1 / law.size, two: 0, ...(law.size > 2 && { three: 0 }) };
    case 'subset': {
      const [one, m, d] = [law.subset / law.size, law.subset, law.size];
      const two = (one * (m - 1)) / (d - 1);
      return { one, two, three: (two * (m - 2)) / (d - 2) };
    }
    case 'hadamard': {
      const two = 1 / law.order ** 2;
      return { one: 1 / law.order, two, ...(law.size > 2 && { three: isOneLine(law) ? two : two / law.order }) };
    }
    case 'projective': {
      const points = (lost: number): number =>
        pointCount(law.order, Math.max(0, law.dimension - lost)) / pointCount(law.order, law.dimension);
      return { one: points(1), two: points(2), ...(law.size > 2 && { three: points(isOneLine(law) ? 2 : 3) }) };
    }
    case 'privset':
      return ofSubsets(law);
    case 'local-hashing': {
      // Three answers whose digits differ in two places: a cohort in which they all collide is orthogonal to two vectors (cohorts.ts).
      const { vectors, collisions } = familyOf(law.size, law.buckets);
      const three = Math.max(0, (vectors / law.buckets ** 2 - 1) / (vectors - 1));
      return { one: 1 / law.buckets, two: collisions / law.buckets, ...(law.size > 2 && { three: three / law.buckets }) };
    }
    case 'string-hashing':
      return { one: 1 / law.buckets, two: 0 };
    case 'hadamard-count-mean-sketch':
      return { one: 1 / 2, two: 0 };
    default:
      return undefined;
  }
}

function ofSets({ one, two, three }: Shares, odds: number, blanket: number): Pair {
  const classOf = (share: number, first: boolean, second: boolean, third?: boolean): OutputClass => {
    const probability = (inside: boolean): number => blanket * share * (inside ? odds : 1);
    return {
      first: probability(first),
      second: probability(second),
      blanket: blanket * share,
      ...(third !== undefined && { third: probability(third) }),
    };
  };
  const inner = (common: number, third?: boolean, own: number = one, both: number = two): Pair => [
    classOf(both, true, true, third),
    classOf(own - both, true, false, third),
    classOf(own - both, false, true, third),
    classOf(common - 2 * own + both, false, false, third),
  ];
  if (three === undefined) return inner(1);
  return [...inner(one, true, two, three), ...inner(1 - one, false, one - two, two - three)];
}

/** The probabilities of 0 to n ones among n bits. */
function counts(n: number, one: number): readonly number[] {
  const found = [(1 - one) ** n];
  for (let i = 1; i <= n; i++) found.push(((found[i - 1] as number) * (n - i + 1) * one) / (i * (1 - one)));
  return found;
}

function ofBits(hashes: number, common: number, p: number, q: number, third: boolean): Pair {
  const [up, down] = [p / q, (1 - p) / (1 - q)];
  const own = (ones: number): number => up ** ones * down ** (hashes - ones);
  const found: OutputClass[] = [];
  for (const [c, w0] of counts(common, q).entries())
    for (const [i, w1] of counts(hashes - common, q).entries())
      for (const [j, w2] of counts(hashes - common, q).entries()) {
        const base = w0 * w1 * w2;
        const of = { first: base * own(c + i), second: base * own(c + j), blanket: base * down ** hashes };
        if (!third) found.push(of);
        else
          for (const [t, w3] of counts(hashes, q).entries())
            found.push({ first: w3 * of.first, second: w3 * of.second, blanket: w3 * of.blanket, third: base * w3 * own(t) });
      }
  return found;
}

/**
 * The pairs of answers of which one tells the most. Bounds of the shuffle model are the worst of them.
 *
 * @throws {RangeError} for a permanent metric, whose reports of one epoch are not independent
 */
export function pairsOf(law: Law): readonly Pair[] {
  if (mechanismOf(law).odds(law).permanent !== undefined) {
    throw new RangeError(`shuffle: expected the law of single reports, got a permanent ${law.mechanism}: only ε∞ bounds its epoch`);
  }
  const odds = oddsOf(law);
  const shares = sharesOf(law);
  if (shares !== undefined) return [ofSets(shares, odds, 1 / (shares.one * odds + (1 - shares.one)))];
  if (law.mechanism !== 'unary' && law.mechanism !== 'rappor' && law.mechanism !== 'count-mean-sketch') {
    const [high, low, blanket] = [odds / (odds + 1), 1 / (odds + 1), 1 / (2 * odds)];
    return [
      [
        { first: high, second: low, blanket },
        { first: low, second: high, blanket },
      ],
    ];
  }
  const [bits, hashes] = [law.mechanism === 'unary' ? law.size : law.bits, law.mechanism === 'rappor' ? law.hashes : 1];
  const { p, q } = bitSupport(law);
  // Answers of a list each have a bit of their own. Those that are hashed meet in some cohorts, so no third answer is known to meet none.
  const hasThird = 'size' in law && law.size === bits && bits > 2;
  return Array.from({ length: hashes }, (_, common) => ofBits(hashes, common, p, q, hasThird));
}
