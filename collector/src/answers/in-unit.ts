/** Converts values in [0, 1] to numbers of a range, in the unit that readers know. */

import type { Range } from '@murmuration/shared';
import type { Estimate } from '../estimation/estimate.ts';

/** The number at a relative position of a range. */
export const numberAt = ([from, to]: Range, place: number): number => from + (to - from) * place;

/** An estimated position, with its error and interval, in the unit of a range. */
export const inUnit = ({ estimate, standardError, low, high }: Estimate, range: Range): Estimate => ({
  estimate: numberAt(range, estimate),
  standardError: (range[1] - range[0]) * standardError,
  low: numberAt(range, low),
  high: numberAt(range, high),
});
