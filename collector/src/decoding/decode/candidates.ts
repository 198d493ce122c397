/**
 * Estimates and p-values of candidates, by one of two ways.
 *
 * Candidates whose cells are not hashed: the same cell in every cohort, as in basic RAPPOR, or one cohort and one hash. Then a cell's share is
 * the candidate's, and nothing is to be told apart. The p-value is a binomial count's, by the saddlepoint approximation with the correction
 * for whole numbers (Daniels 1987).
 */

import { normalQuantile, normalTail } from '../../estimation/statistics/tails.ts';
import { cautiously, type Fitted, fitted, isOverloaded, UNSETTLED } from './annealing.ts';
import type { Field, Observed } from './cells.ts';
import { discoveriesOf } from './discoveries.ts';
import type { CellCounts, CellMap, DecodeInput, Tested } from './evidence.ts';
import { cumulantsOf, FINELY, normalAt, nullLaw, scoreAt } from './null-law.ts';

/** True if each candidate has one cell, the same in all cohorts. */
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

/** A family-wise error rate: a null candidate is hardly ever fitted. */
const RARE = 0.05;
/** A crowded fit below this crowding is used where it reports at least so many: one or two may be the noise that it follows. */
const [MOST_CROWDED, LEAST_FOUND] = [0.95, 5];

const weightedBy = (weights: Field, values: Field): Field => values.map((value, i) => value * (weights[i] as number));

/** Tests of the candidates by a fit. */
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
 * Tests by a crowded fit, with p-values raised to 1 / (1 - c) times, for a crowding c. Some null candidates are taken for strings, which makes
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
    if (discoveriesOf(crowded.pValue, fdr).found >= LEAST_FOUND) return crowded;
  }
  const cautious = cautiously(counts, places, observed, normalQuantile(RARE / map.candidates), onStep);
  return { ...tested(cautious), fit: 'linear', isOverloaded: true };
}
