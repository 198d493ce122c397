/** Estimates and p-values of hashed candidates: the fit, and the law of a null candidate's score given what the fit left over. */

import { normalQuantile, normalTail } from '../../statistics/normal.ts';
import { cautiously, type Fitted, fitted, isOverloaded } from './annealing.ts';
import type { Field, Observed } from './cells.ts';
import type { CellCounts, CellMap } from './evidence.ts';
import { cumulantsOf, FINELY, normalAt, nullLaw, scoreAt } from './null-law.ts';
import type { Tested } from './tested.ts';

/** A family-wise error rate: a null candidate is hardly ever fitted. */
const RARE = 0.05;

const weightedBy = (weights: Field, values: Field): Field => values.map((value, i) => value * (weights[i] as number));

/** What a fit says of the candidates. */
function tested({ problem, fit }: Fitted): Omit<Tested, 'fit' | 'isOverloaded'> {
  const { places, weights, root } = problem;
  const { candidates } = places;
  const law = nullLaw(cumulantsOf(weightedBy(weights, fit.effective), weights, places.width, places.hashes), FINELY);
  const scale = Math.sqrt(fit.dispersion);
  const unit = scale / fit.kappa;
  const [estimate, standardError, pValue] = [new Float64Array(candidates), new Float64Array(candidates), new Float64Array(candidates)];
  for (let v = 0; v < candidates; v++) {
    const own = root[v] as number;
    const z = fit.z[v] as number;
    if (own === 0) {
      standardError[v] = 1;
      pValue[v] = 1;
      continue;
    }
    estimate[v] = (z * unit) / own;
    standardError[v] = fit.error / own;
    pValue[v] = normalTail(normalAt(law, z * scale * own + law.mean));
  }
  const leastAt = (normal: number) => {
    const score = (scoreAt(law, normal) - law.mean) / scale;
    return (v: number): number => {
      const own = root[v] as number;
      return own === 0 ? 1 : (score / own) * (unit / own);
    };
  };
  return { estimate, standardError, pValue, leastAt, dispersion: fit.dispersion * problem.spread };
}

/** Tests hashed candidates. */
export function hashed(counts: CellCounts, map: CellMap, observed: Observed): Tested {
  const places = { ...map, cohorts: counts.cohorts, width: observed.width };
  const best = fitted(counts, places, observed);
  if (best.isScored) return { ...tested(best), fit: 'score', isOverloaded: false };
  if (!isOverloaded(best)) return { ...tested(best), fit: 'linear', isOverloaded: false };
  const cautious = cautiously(counts, places, observed, normalQuantile(RARE / map.candidates));
  return { ...tested(cautious), fit: 'linear', isOverloaded: true };
}
