/**
 * The mean of numbers from one stored bit per device, and the scores of its outputs. See shared/src/mechanisms/one-bit.ts for the reasons.
 */

import { type OneBitLaw, oneBitSupport } from '@murmuration/shared';
import type { EstimateInput } from '../estimate.ts';
import { type Estimate, scored, THESE } from '../estimate.ts';
import type { NumberEstimation } from '../estimation.ts';
import type { Rows } from '../matrices.ts';
import { numberEstimates, type Scores } from '../number.ts';
import { meanByScores } from '../parts.ts';

const noiseOf = (law: OneBitLaw, stage?: 'permanent'): number => {
  const { p, q } = oneBitSupport(law, stage);
  return (q * (1 - q)) / ((p - q) * (p - q));
};

/** Scores, scaled from a bit to a range of width 1. */
export function oneBitScores(law: OneBitLaw): Scores {
  const { p, q } = oneBitSupport(law);
  const noise = noiseOf(law);
  return {
    values: [-q / (p - q), (1 - q) / (p - q)],
    varianceAt: (place) => noise + place * (1 - place),
    worst: noise + 0.25,
  };
}

/** The estimated mean position as one row; empty without reports. */
export function oneBitEstimates(law: OneBitLaw, { tallies, perDevice, people = THESE }: EstimateInput): Estimate[] {
  const tally = tallies.get(0);
  if (tally === undefined || perDevice === 1) return numberEstimates(oneBitScores(law), tallies, people);
  const { p, q } = oneBitSupport(law);
  const { reports, cells } = tally;
  const noise = noiseOf(law) + (perDevice - 1) * noiseOf(law, 'permanent');
  // A device's reports share the rounding to an end, and a person's reports share the number: together f (1-f).
  const shared = Math.max(perDevice / reports, 1 / people);
  return [scored(((cells[1] as number) / reports - q) / (p - q), { constant: noise / reports, slope: shared, curve: shared })];
}

/** P(output | end). */
function rowsOf(law: OneBitLaw): Rows {
  const { p, q } = oneBitSupport(law);
  return [
    [1 - q, q],
    [1 - p, p],
  ];
}

export const oneBit: NumberEstimation<OneBitLaw> = {
  ...meanByScores<OneBitLaw>(oneBitScores, rowsOf),
  estimates: oneBitEstimates,
  stored: ({ mechanism, size, truth }) => ({ mechanism, size, truth }),
  named: () => [], // only the automatic choice of mechanism uses it
  simulated: [{ of: 'kept', name: 'one-bit' }],
};
