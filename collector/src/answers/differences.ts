/** Several differences that are judged together: which of them are clear, and each in words. */

import type { Interval } from '../estimation/estimate.ts';
import { LEVEL } from '../estimation/statistics/looks.ts';

/** The words for a difference: of the same reports later, or of other reports. */
export type Wording = 'time' | 'group';

/** Unit of differences. */
export interface Unit {
  readonly wording: Wording;
  /** Set for shares, which are told in percentage points. */
  readonly isShare: boolean;
  /** The word for the unit of a number, if there is one. */
  readonly name?: string | undefined;
}

/** True if zero lies outside the interval. */
export const isClear = ({ low, high }: Interval): boolean => low > 0 || high < 0;

/** A number with as many decimals as its precision deserves, that of the interval's half width with two digits. */
function figures({ low, high }: Interval, isShare: boolean): (value: number) => string {
  const scale = isShare ? 100 : 1;
  const half = (scale * (high - low)) / 2;
  const decimals = half > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(half)))) : 1;
  return (value) => Math.abs(scale * value).toFixed(decimals);
}

/** A difference to be told: the interval by which it is judged, and whether it is clear among all that are judged with it. */
export interface Told extends Interval {
  readonly estimate: number;
  readonly isClear: boolean;
}

/** A difference in words. A test may be exact where its interval is not quite: what it has not shown is in the range that is told. */
export function differenceInWords(told: Told, { wording, isShare, name }: Unit): string {
  const { estimate, low, high } = told;
  const figure = figures(told, isShare);
  const unit = isShare ? ' points' : name ? ` ${name}` : '';
  if (!told.isClear) return `too close to call: between ${figure(Math.min(0, low))}${unit} down and ${figure(Math.max(0, high))}${unit} up`;
  const way = estimate > 0 ? ['went up', 'is higher'] : ['went down', 'is lower'];
  const [least, most] = estimate > 0 ? [low, high] : [high, low];
  return `${way[wording === 'time' ? 0 : 1]} by ${figure(estimate)}${unit}, between ${figure(least)} and ${figure(most)}`;
}

/** A hypothesis of "no difference" among several. */
export interface Tested {
  readonly pValue: number;
  /** Its part of the level, relative to the others'. */
  readonly weight: number;
}

/**
 * Which of several differences are clear when all are tested together: at most 1 question in 20 names one where nothing differs (Holm 1979,
 * A simple sequentially rejective multiple test procedure, §3 with weights). P-values that hold at every look give verdicts that do.
 */
export function clearTogether(tested: readonly Tested[], level: number = LEVEL): readonly boolean[] {
  const clear = tested.map(() => false);
  let left = tested.reduce((sum, { weight }) => sum + weight, 0);
  const order = [...tested.keys()].sort((i, j) => {
    const [one, other] = [tested[i] as Tested, tested[j] as Tested];
    return one.pValue / one.weight - other.pValue / other.weight;
  });
  for (const i of order) {
    const { pValue, weight } = tested[i] as Tested;
    if (pValue * left > level * weight) break;
    clear[i] = true;
    left -= weight;
  }
  return clear;
}
