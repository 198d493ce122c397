/**
 * The poisoning watch of a metric: whether its reports can have come through the law, and how far crafted reports could move its estimates.
 */

import type { Law, Range, ShareLaw } from '@murmuration/shared';
import { estimationOf } from '../mechanisms/table.ts';
import type { DailyOnes, Tallies } from '../tally.ts';
import { cellsPValue } from './bounds.ts';
import { cohortsPValue, onesPValue } from './evidence.ts';
import { shiftOf } from './leverage.ts';

/** The results. A p-value is left out where a law has no such test, or where too few reports came for it. */
export interface Watch {
  /** The p-value of "every report came through the law, whatever the answers", over all tests by Bonferroni. 1 without tests. */
  readonly pValue: number;
  /** Each cell is set as often as the law can set it. */
  readonly cells?: number;
  /** The part that no shares of the answers explain is noise: chi-squared. */
  readonly fit?: number;
  /** No answer has a share below 0 or above 1. */
  readonly answers?: number;
  /** Cohorts are drawn uniformly. */
  readonly cohorts?: number;
  /** Bit vectors have the expected number of ones, day by day. */
  readonly ones?: number;
  /**
   * The farthest that 1 % of crafted reports could move an estimate: a share, or a number in the unit of its range. Left out where the law
   * distinguishes no answers.
   */
  readonly perPercent?: number;
}

/** The watch of a metric's evidence. */
export function watchOf(law: Law, tallies: Tallies, days: readonly DailyOnes[], perDevice: number, range: Range = [0, 1]): Watch {
  const { bounds, fit, isOneBit } = estimationOf(law);
  const tests = {
    cells: cellsPValue(bounds(law), tallies, perDevice),
    ...(tallies.size > 0 && fit(law, tallies, perDevice)),
    cohorts: cohortsPValue(law, tallies, perDevice),
    ones: isOneBit?.(law) ? onesPValue(law as ShareLaw, days) : undefined,
  };
  const shift = shiftOf(law, 0.01);
  const found = Object.entries(tests).flatMap(([name, pValue]) => (pValue === undefined ? [] : [[name, pValue] as const]));
  return {
    pValue: Math.min(1, ...found.map(([, pValue]) => found.length * pValue)),
    ...Object.fromEntries(found),
    ...(shift !== undefined && { perPercent: (range[1] - range[0]) * shift }),
  };
}
