/**
 * Candidates that set the same cells as another one in every cohort with reports. Nothing in the counts tells them apart, so whatever is
 * found is the share of all of them together.
 */

import type { CellCounts, CellMap } from '../decoding/decode/evidence.ts';

/** The number of twins that chance is expected to make below which none is looked for. */
const RARE = 1e-6;

/** Marks with 1 the candidates that have a twin. */
export function twinsOf({ cohorts, cells, reports }: CellCounts, { candidates, hashes, places }: CellMap): Uint8Array {
  const twins = new Uint8Array(candidates);
  const live = [...reports.keys()].filter((cohort) => (reports[cohort] as number) > 0);
  // Two random candidates agree in one place with probability 1/k, and in h places of a cohort in one of at most h! orders.
  const perCohort = Math.log(cells) * hashes - Array.from({ length: hashes }, (_, i) => Math.log(i + 1)).reduce((sum, log) => sum + log, 0);
  if (2 * Math.log(candidates) - live.length * Math.max(0, perCohort) < Math.log(RARE)) return twins;
  const known = new Map<string, number>();
  for (let v = 0; v < candidates; v++) {
    const key = live
      .map((cohort) =>
        places
          .slice((v * cohorts + cohort) * hashes, (v * cohorts + cohort + 1) * hashes)
          .sort()
          .join(),
      )
      .join(';');
    const other = known.get(key);
    if (other === undefined) known.set(key, v);
    else twins[v] = twins[other] = 1;
  }
  return twins;
}
