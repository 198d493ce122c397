/**
 * One stored bit of a number: 1BitRRPM with α-point rounding, Ding, Kulkarni, Yekhanin 2017, "Collecting Telemetry Data Privately", §4.1
 * and §4.3. Its single report is 1BitMean (ibid., §3.1), which is Duchi, Jordan, Wainwright 2018, §3.2.1.
 *
 * Law (T = 2^32): α is drawn uniformly over 0 .. T - 1. A number at place x of its range, from 0 to 1, becomes the bit 1 (the range's high
 * end) if α < floor(x T), else 0 (the low end), so the bit's mean is x. The bit then goes through a k-ary response with two answers
 * (k-ary.ts: truth, and irr.truth for each report), so
 *   e^ε∞ = truth / (T - truth),   E[report | x] = q + (p - q) x with its composed p and q
 * The paper draws α once for a device, rounds to a grid and stores a response for every point of it. That hides small changes of a number,
 * but a change of its rounded value shows, so no ε covers all histories. Here the grid is the range's two ends, and only the bit of an
 * epoch's first number is stored, as rounded by its α. All reports of the epoch are made from that bit, whatever is recorded later, so e^ε∞
 * bounds whole histories. Rounding only mixes the two rows.
 *
 * With C ones in n reports, f = (C/n - q) / (p - q) is unbiased for the mean place. Given the places, its variance is at most
 *   (q(1-q)/(p-q)² + f (1-f)) / n,   p + q = 1,
 * with equality where all places are f. This is the variance of Duchi's mechanism at ε₁, whatever ε∞ is. If one device reports on several
 * days, its reports share all of this variance except q(1-q).
 */

import { coded } from './codec.ts';
import { type KAryLaw, kAry, permanentKAryLaw } from './k-ary.ts';
import { assertWhole, type Channel, MODULUS, type Support } from './law.ts';

/** The integers of a stored bit. */
export type OneBitLaw = Pick<KAryLaw, 'truth' | 'irr'> & {
  readonly mechanism: 'one-bit';
  readonly size: 2;
};

/**
 * The law for (ε∞, ε₁) with the largest ε that do not exceed the requested ones.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export const oneBitLaw = (epsilon: number, permanent: number, modulus: number = MODULUS): OneBitLaw => ({
  ...permanentKAryLaw(2, epsilon, permanent, modulus),
  mechanism: 'one-bit',
  size: 2,
});

const asKAry = (law: OneBitLaw): KAryLaw => ({ ...law, mechanism: 'k-ary' });

/** P(1 | high end) and P(1 | low end), for a report or for the stored bit. */
export const oneBitSupport = (law: OneBitLaw, stage?: 'permanent'): Support => kAry.support(asKAry(law), stage);

export const oneBit: Channel<OneBitLaw, 'mean'> = /* @__PURE__ */ coded<OneBitLaw, 'mean'>({
  name: 'one-bit',
  tells: 'mean',
  meaning: 'One bit: a device rounds its number to an end of the range at random, and sends that end, or at random the other.',
  validate: (law) => {
    assertWhole(law.size, 2, 2, 'one-bit: size');
    kAry.validate(asKAry(law));
    // At 1/2 the bit is independent of the number, so no mean could be estimated.
    assertWhole(law.truth, MODULUS / 2 + 1, MODULUS - 1, 'one-bit: truth');
    if (law.irr !== undefined) assertWhole(law.irr.truth, MODULUS / 2 + 1, MODULUS, 'one-bit: irr.truth');
  },
  odds: (law) => kAry.odds(asKAry(law)),
  shape: () => ({ cohorts: 1, cells: 2, form: 'symbol' }),
});
