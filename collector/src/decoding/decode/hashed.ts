/** Estimates and p-values of hashed candidates: the fit, and the law of a null candidate's score given what the fit left over. */

import { normalQuantile, normalTail } from '../../estimation/statistics/normal.ts';
import { cautiously, type Fitted, fitted, isOverloaded, UNSETTLED } from './annealing.ts';
import type { Field, Observed } from './cells.ts';
import { discoveriesOf } from './discoveries.ts';
import type { DecodeInput } from './evidence.ts';
import { cumulantsOf, FINELY, normalAt, nullLaw, scoreAt } from './null-law.ts';
import type { Tested } from './tested.ts';

/** A family-wise error rate: a null candidate is hardly ever fitted. */
const RARE = 0.05;
/** A crowded fit below this crowding is used where it reports at least so many: one or two may be the noise that it follows. */
const [MOST_CROWDED, LEAST_REPORTED] = [0.95, 5];

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

/**
 * What a crowded fit says, with p-values raised to 1 / (1 - c) times, for a crowding c. Some null candidates are taken for strings, which makes
 * others of the kind look likelier, and so null candidates stand out more often than their law says.
 */
function crowdedly(best: Fitted): Tested {
  const rest = 1 - best.fit.crowding;
  const plain = tested(best);
  return {
    ...plain,
    pValue: plain.pValue.map((p) => Math.min(1, p / rest)),
    leastAt: (normal) => plain.leastAt(normalQuantile(normalTail(normal) * rest)),
    fit: 'linear',
    isOverloaded: true,
  };
}

/** Tests hashed candidates, of which those at this false discovery rate will be reported. */
export function hashed({ counts, map, fdr, onStep }: DecodeInput, observed: Observed): Tested {
  const places = { ...map, cohorts: counts.cohorts, width: observed.width };
  const best = fitted(counts, places, observed, onStep);
  if (best.isScored) return { ...tested(best), fit: 'score', isOverloaded: false };
  if (!isOverloaded(best)) return { ...tested(best), fit: 'linear', isOverloaded: false };
  if (best.fit.crowding <= MOST_CROWDED && best.fit.change <= UNSETTLED) {
    const crowded = crowdedly(best);
    if (discoveriesOf(crowded.pValue, fdr).reported >= LEAST_REPORTED) return crowded;
  }
  const cautious = cautiously(counts, places, observed, normalQuantile(RARE / map.candidates), onStep);
  return { ...tested(cautious), fit: 'linear', isOverloaded: true };
}
