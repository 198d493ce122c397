/** The counts of google/rappor: a line for each cohort without a header, with the cohort's reports, then how many of them set each bit. */

import type { CellCounts } from '../../decoding/decode/evidence.ts';
import type { Params } from './params.ts';
import { Records } from './records.ts';

/** Reads the counts. @throws {UsageError} when the file holds others than the parameters say */
export async function readCounts(file: string, { bits, cohorts, inside, outside }: Params): Promise<CellCounts> {
  const records = new Records(file);
  const reports = new Float64Array(cohorts);
  const counts = new Float64Array(cohorts * bits);
  let cohort = 0;
  while (await records.load()) {
    for (; records.next(bits + 1); cohort++) {
      if (cohort === cohorts) throw records.error(`${cohorts} lines, one for each cohort`, 'more');
      const own = records.whole('the reports of a cohort', 0, Number.MAX_SAFE_INTEGER);
      reports[cohort] = own;
      for (let bit = 0; bit < bits; bit++) counts[cohort * bits + bit] = records.whole('the reports of its cohort with a bit', 0, own);
      records.end();
    }
  }
  if (cohort < cohorts) throw records.error(`${cohorts} lines, one for each cohort`, `${cohort}`);
  if (reports.every((own) => own === 0)) throw records.error('reports in a cohort', 'none in any');
  if (inside > outside) return { cohorts, cells: bits, reports, counts, inside, outside };
  // Inverted bits: a report's zeros say what its ones say elsewhere.
  const zeros = counts.map((count, i) => (reports[Math.floor(i / bits)] as number) - count);
  return { cohorts, cells: bits, reports, counts: zeros, inside: 1 - inside, outside: 1 - outside };
}
