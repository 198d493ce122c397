/** The supports under the Hadamard count mean sketch: a transform of each cohort to its buckets, then one over the cohorts. */

import type { HadamardCountMeanSketchLaw } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import { cohortSupports } from './cohorts.ts';
import { walshHadamard } from './walsh.ts';

/** Those of a cohort for bucket b are half of all, and half of the Walsh-Hadamard transform of + less - at b. */
export const hadamardCountMeanSketchSupports = ({ size, buckets }: HadamardCountMeanSketchLaw, tallies: Tallies): Float64Array =>
  cohortSupports(size, buckets, (cohort) => {
    const cells = tallies.get(cohort)?.cells;
    if (cells === undefined) return undefined;
    const all = cells.reduce((sum, count) => sum + count, 0);
    const signed = Float64Array.from({ length: buckets }, (_, j) => (cells[2 * j] as number) - (cells[2 * j + 1] as number));
    return walshHadamard(signed).map((sum) => (all + sum) / 2);
  });
