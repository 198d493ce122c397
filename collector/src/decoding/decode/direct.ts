/**
 * Candidates whose cells are not hashed: the same cell in every cohort, as in basic RAPPOR, or one cohort and one hash. Then a cell's share is
 * the candidate's, and nothing is to be told apart. The p-value is a binomial count's, by the saddlepoint approximation with the correction
 * for whole numbers (Daniels 1987).
 */

import { normalTail } from '../../estimation/statistics/normal.ts';
import type { CellCounts, CellMap } from './evidence.ts';
import type { Tested } from './tested.ts';

/** Whether each candidate has one cell, the same in all cohorts. */
export function isDirect({ candidates, hashes, places }: CellMap, cohorts: number): boolean {
  if (hashes !== 1) return false;
  for (let v = 0; v < candidates; v++) {
    for (let c = 1; c < cohorts; c++) if (places[v * cohorts + c] !== places[v * cohorts]) return false;
  }
  return true;
}

/** The normal variable that is exceeded as rarely as a binomial count exceeds one less than this. */
function binomialNormal(count: number, trials: number, chance: number): number {
  const shown = Math.min(Math.max(count - 0.5, 0.25), trials - 0.25) / trials;
  const s = Math.log(shown / (1 - shown)) - Math.log(chance / (1 - chance));
  const divergence = shown * Math.log(shown / chance) + (1 - shown) * Math.log((1 - shown) / (1 - chance));
  const w = Math.sign(s) * Math.sqrt(2 * trials * Math.max(0, divergence));
  const u = 2 * Math.sinh(s / 2) * Math.sqrt(trials * shown * (1 - shown));
  return Math.abs(w) < 1e-3 ? (shown - chance) * Math.sqrt(trials / (chance * (1 - chance))) : w + Math.log(u / w) / w;
}

/** Each candidate by its own cell. */
export function direct({ cohorts, cells, reports, counts, inside, outside }: CellCounts, map: CellMap): Tested {
  const total = reports.reduce((sum, each) => sum + each, 0);
  const sums = new Float64Array(cells);
  for (let i = 0; i < counts.length; i++) sums[i % cells] = (sums[i % cells] as number) + (counts[i] as number);
  const gain = inside - outside;
  const chance = Math.min(Math.max(outside, 0.5 / total), 1 - 0.5 / total);
  const { candidates } = map;
  const [estimate, standardError, score, pValue] = [0, 1, 2, 3].map(() => new Float64Array(candidates)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let v = 0; v < candidates; v++) {
    const count = sums[map.places[v * cohorts] as number] as number;
    const rate = Math.min(Math.max(count / total, 0.5 / total), 1 - 0.5 / total);
    estimate[v] = (count / total - outside) / gain;
    standardError[v] = Math.sqrt((rate * (1 - rate)) / total) / gain;
    score[v] = binomialNormal(count, total, chance);
    pValue[v] = normalTail(score[v] as number);
  }
  // The least significant score as an estimate: what a null cell's own standard error makes of it.
  const nullError = Math.sqrt((chance * (1 - chance)) / total) / gain;
  return {
    estimate,
    standardError,
    pValue,
    dispersion: 1,
    fit: 'direct',
    isOverloaded: false,
    leastAt: (normal) => () => normal * nullError,
  };
}
