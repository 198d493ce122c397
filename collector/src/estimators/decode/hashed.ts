/** Estimates and p-values of hashed candidates: the fit, and the law of a null candidate's score given what the fit left over. */

import { normalTail } from '../../statistics/normal.ts';
import { errorOf, fitted, isOverloaded, sharesOf } from './annealing.ts';
import type { Field, Observed } from './cells.ts';
import { withDecoys } from './decoys.ts';
import type { CellCounts, CellMap } from './evidence.ts';
import type { Fit } from './message-passing.ts';
import { cumulantsOf, FINELY, normalAt, nullLaw, scoreAt } from './null-law.ts';
import type { Problem } from './problem.ts';
import type { Tested } from './tested.ts';

const STEPS = 40;

const weightedBy = (weights: Field, values: Field): Field => values.map((value, i) => value * (weights[i] as number));

/** What a fit says of the first `candidates` candidates. Those below `threshold` standard errors are not significant. */
function tested(problem: Problem, fit: Fit, candidates: number, threshold: number, spread: number): Omit<Tested, 'fit' | 'isOverloaded'> {
  const { places, weights, root } = problem;
  const law = nullLaw(cumulantsOf(weightedBy(weights, fit.effective), weights, places.width, places.hashes), FINELY);
  const scale = Math.sqrt(fit.dispersion);
  const [unit, error] = [scale / fit.kappa, errorOf(fit) * spread];
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
    standardError[v] = error / own;
    pValue[v] = z < threshold ? 1 : normalTail(normalAt(law, z * scale * own + law.mean));
  }
  const leastAt = (normal: number) => {
    const score = (scoreAt(law, normal) - law.mean) / scale;
    return (v: number): number => {
      const own = root[v] as number;
      return own === 0 ? 1 : (Math.max(score / own, threshold) * unit) / own;
    };
  };
  return { estimate, standardError, pValue, leastAt, dispersion: fit.dispersion };
}

/** Tests hashed candidates. */
export function hashed(counts: CellCounts, map: CellMap, observed: Observed, fdr: number): Tested {
  const best = fitted(counts, { ...map, cohorts: counts.cohorts, width: observed.width }, observed);
  const all = map.candidates;
  if (best.isScored) return { ...tested(best.problem, best.fit, all, Number.NEGATIVE_INFINITY, 1), fit: 'score', isOverloaded: false };
  if (!isOverloaded(best.fit))
    return { ...tested(best.problem, best.fit, all, Number.NEGATIVE_INFINITY, 1), fit: 'linear', isOverloaded: false };
  const { problem, fit, threshold, spread } = withDecoys(counts, best.problem, sharesOf(best.problem, best.fit), fdr, { steps: STEPS });
  return { ...tested(problem, fit, all, threshold, spread), fit: 'linear', isOverloaded: true };
}
