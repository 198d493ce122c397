/**
 * One bit of a number, kept: 1BitRRPM with α-point rounding, Ding, Kulkarni, Yekhanin 2017, "Collecting Telemetry Data
 * Privately", §4.1 and §4.3. Its single report is 1BitMean (ibid., §3.1), which is Duchi, Jordan, Wainwright 2018, §3.2.1.
 *
 * Law (T = 2^32): α is drawn uniformly over 0 .. T - 1, and a number at place x of its range, from 0 to 1, is 1 where
 * α < floor(x T), else 0: the range's high or low end, x on average. This bit goes through a k-ary response of two answers
 * (k-ary.ts: truth, and irr.truth for each report), so
 *   e^ε∞ = truth / (T - truth),   E[report | x] = q + (p - q) x with its composed p and q
 * The paper draws α once for a device, rounds to a grid and keeps a response for every point of it. That hides small
 * changes of a number, but a change of its rounded value shows, so that no ε covers all histories. Here the grid is the
 * range's ends, and the bit of an epoch's first number is kept alone, with the α that rounded it: whatever is recorded
 * later, all reports are made from that bit, and e^ε∞ is a theorem about whole histories. Rounding mixes the two rows.
 *
 * f = (C/n - q) / (p - q), from C ones, is unbiased for the mean place. Given the places its variance is at most
 *   (q(1-q)/(p-q)² + f (1-f)) / n,   p + q = 1,
 * with equality where all are f: Duchi's at ε₁, whatever ε∞ is. Reports of one device on T days share all but q(1-q).
 */

import { coded } from './codec.ts';
import { type KAryLaw, kAry, permanentKAryLaw } from './k-ary.ts';
import { assertWhole, type Channel, MODULUS, type Support } from './law.ts';

/** The integers of a bit that is kept. */
export type OneBitLaw = Pick<KAryLaw, 'truth' | 'irr'> & {
  readonly mechanism: 'one-bit';
  readonly size: 2;
};

/**
 * The law for (ε∞, ε₁) with the largest ε that are at most those asked.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export const oneBitLaw = (epsilon: number, permanent: number, modulus: number = MODULUS): OneBitLaw => ({
  ...permanentKAryLaw(2, epsilon, permanent, modulus),
  mechanism: 'one-bit',
  size: 2,
});

const asKAry = (law: OneBitLaw): KAryLaw => ({ ...law, mechanism: 'k-ary' });

/** P(1 | high end) and P(1 | low end), of a report or of the stored bit. */
export const oneBitSupport = (law: OneBitLaw, stage?: 'permanent'): Support => kAry.support(asKAry(law), stage);

export const oneBit: Channel<OneBitLaw, 'mean'> = /* @__PURE__ */ coded<OneBitLaw, 'mean'>({
  name: 'one-bit',
  tells: 'mean',
  meaning: 'One bit: a device rounds its number to an end of the range at random, and sends that end, or at random the other.',
  validate: (law) => {
    assertWhole(law.size, 2, 2, 'one-bit: size');
    kAry.validate(asKAry(law));
    // A bit that says nothing tells no mean.
    assertWhole(law.truth, MODULUS / 2 + 1, MODULUS - 1, 'one-bit: truth');
    if (law.irr !== undefined) assertWhole(law.irr.truth, MODULUS / 2 + 1, MODULUS, 'one-bit: irr.truth');
  },
  odds: (law) => kAry.odds(asKAry(law)),
  shape: () => ({ cohorts: 1, cells: 2, form: 'symbol' }),
});
