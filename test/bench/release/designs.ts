/** Which design ranges over days get, and what the others would cost. */

import { geometric } from '#collector/release/mechanisms/geometric.ts';
import type { NoiseMechanism } from '#collector/release/mechanisms/mechanism.ts';
import { bestDesign, meanRangeVariance, type RangeDesign } from '#collector/release/mechanisms/ranges.ts';
import { decimal } from '../../collector/release/mechanisms/decimal.ts';

const DAYS = [7, 14, 30, 60, 90, 180, 365, 730, 1825] as const;

const noiseOf = (levels: number): NoiseMechanism => geometric({ epsilon: decimal(1, 'ε'), sensitivity: levels });

const nameOf = ({ branches, levels }: RangeDesign): string => (levels === 1 ? 'histogram' : `${levels} levels of ${branches}`);

/** A row for each number of days: root of the mean variance of all ranges. */
export function designs(): readonly (readonly string[])[] {
  const rows = DAYS.map((days) => {
    const error = (design: RangeDesign): string => Math.sqrt(meanRangeVariance(design) * noiseOf(design.levels).variance).toFixed(1);
    const best = bestDesign(days, (levels) => noiseOf(levels).variance);
    const binary = Math.ceil(Math.log2(days)) + 1;
    return [
      `${days} days, ε 1`,
      nameOf(best),
      error(best),
      error({ days, branches: 2, levels: 1 }),
      error({ days, branches: 2, levels: binary }),
    ];
  });
  return [['ranges over', 'chosen', 'its error', 'histogram', 'binary tree'], ...rows];
}
