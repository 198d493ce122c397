/** Places in [0, 1] as numbers of a range, in the unit that people know. */

import type { Range } from '@murmuration/shared';
import type { Estimate } from '../estimators/estimate.ts';

/** The number at a place of a range. */
export const numberAt = ([from, to]: Range, place: number): number => from + (to - from) * place;

/** An estimated place, its error and its interval in the unit of a range. */
export const inUnit = ({ estimate, standardError, low, high }: Estimate, range: Range): Estimate => ({
  estimate: numberAt(range, estimate),
  standardError: (range[1] - range[0]) * standardError,
  low: numberAt(range, low),
  high: numberAt(range, high),
});
