/**
 * Estimates and p-values of candidates, by one of two ways.
 *
 * Candidates whose cells are not hashed: the same cell in every cohort, as in basic RAPPOR, or one cohort and one hash. Then a cell's share is
 * the candidate's, and nothing is to be told apart. The p-value is a binomial count's, by the saddlepoint approximation with the correction
 * for whole numbers (Daniels 1987).
 */

import { normalQuantile, normalTail } from '../../estimation/statistics/tails.ts';
import { cautiously, type Fitted, fitted, isOverloaded, sharesOf, UNSETTLED } from './annealing.ts';
import { centreCohorts, cohortSums, gather, informationOf, type Observed, weighing } from './cells.ts';
import { discoveriesOf } from './discoveries.ts';
import type { CellCounts, CellMap, DecodeInput, Tested } from './evidence.ts';
import { type ExactLaw, exactLaw, logTailAt, scoreOf } from './null-law.ts';

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
    nullError: new Float64Array(candidates).fill(nullError),
    leastAt: (normal) => () => normal * nullError,
  };
}

/** A family-wise error rate: a null candidate is hardly ever fitted. */
const RARE = 0.05;
/** A crowded fit below this crowding is used where it reports at least so many: one or two may be the noise that it follows. */
const [MOST_CROWDED, LEAST_FOUND] = [0.95, 5];

/** Scores of the candidates, with the law of a score if nobody has the candidate. */
interface Scores {
  readonly scores: Float64Array;
  /** The information that each candidate's cells have about its share if nobody has it, and if its share is the estimate. */
  readonly information: Float64Array;
  readonly informationAt: Float64Array;
  readonly law: ExactLaw;
}

/**
 * The scores of the candidates under the hypothesis that nobody has them: T = Σ g over a candidate's cells, where g = w r is the weighted
 * residual, and weights are those at the fitted shares without the candidate's own. A frequent string raises the variance of its own cells. With
 * weights at all fitted shares its cells would count for little, and its score would be no larger than that of random cells with large weights.
 *
 * Without the candidate's share s, its own cell has the residual r + κ s and the weight w', and the other cells of the cohort stay as they are.
 * The mean of the cohort moves by (w' (r + κ s) - w r) / W', with W' the cohort's sum of weights, because Σ w r was 0.
 */
function scoresOf(counts: CellCounts, { problem, fit }: Fitted, estimate: Float64Array): Scores {
  const { places, observed, spread } = problem;
  const { candidates, cohorts, width, hashes } = places;
  const shareAt = sharesOf(problem, fit);
  const { weights, at: weightAt } = weighing(counts, observed, shareAt, spread);
  const residual = fit.effective.slice();
  centreCohorts(weights, residual, width);
  const g = residual.map((value, cell) => value * (weights[cell] as number));
  const scores = new Float64Array(candidates);
  gather(places, g, scores);
  const information = informationOf(places, weights);
  const informationAt = information.slice();
  const totals = cohortSums(weights, width);
  for (let v = 0; v < candidates; v++) {
    const share = fit.shares[v] as number;
    if (share === 0) continue;
    const change = Math.max(0, estimate[v] as number) - share;
    let [score, known, knownAt] = [0, 0, 0];
    for (let c = 0, first = v * cohorts * hashes; c < cohorts; c++, first += hashes) {
      if (totals[c] === 0) continue;
      let [own, at, before, moved] = [0, 0, 0, 0];
      for (let h = 0; h < hashes; h++) {
        const place = places.places[first + h] as number;
        if (place === width - 1) continue;
        const cell = c * width + place;
        const weight = weightAt(cell, shareAt(cell) - share);
        const weighted = weight * ((residual[cell] as number) + fit.kappa * share);
        own += weight;
        at += weightAt(cell, shareAt(cell) + change);
        before += weights[cell] as number;
        moved += weighted - (g[cell] as number);
        score += weighted;
      }
      const others = (totals[c] as number) - before;
      score -= (own / (others + own)) * moved;
      known += (own * others) / (others + own);
      knownAt += (at * others) / (others + at);
    }
    scores[v] = score;
    information[v] = known;
    informationAt[v] = knownAt;
  }
  return { scores, information, informationAt, law: exactLaw(g, weights, width, hashes) };
}

/** Tests of the candidates by a fit. */
function tested(counts: CellCounts, fitted: Fitted): Omit<Tested, 'fit' | 'isOverloaded'> {
  const { problem, fit } = fitted;
  const { root, spread } = problem;
  const unit = Math.sqrt(fit.dispersion) / fit.kappa;
  const estimate = fit.z.map((z, v) => (root[v] === 0 ? 0 : (z * unit) / (root[v] as number)));
  const { scores, information, informationAt, law } = scoresOf(counts, fitted, estimate);
  const errorOf = (known: number, v: number): number => (root[v] === 0 ? 1 : fit.error / Math.sqrt(known));
  const standardError = informationAt.map(errorOf);
  const nullError = information.map(errorOf);
  const pValue = scores.map((score, v) => (root[v] === 0 ? 1 : Math.exp(logTailAt(law, score))));
  const leastAt = (normal: number) => {
    const least = scoreOf(law, Math.log(normalTail(normal)));
    // A score over its information is another estimate of the share. It lies as far above its threshold as this one does.
    return (v: number): number =>
      root[v] === 0 ? 1 : (estimate[v] as number) - ((scores[v] as number) - least) / ((information[v] as number) * fit.kappa);
  };
  return { estimate, standardError, nullError, pValue, leastAt, dispersion: fit.dispersion * spread };
}

/**
 * Tests by a crowded fit, with p-values raised to 1 / (1 - c) times, for a crowding c. Some null candidates are taken for strings, which makes
 * others of the kind look likelier, and so null candidates stand out more often than their law says.
 */
function crowdedly(counts: CellCounts, best: Fitted): Tested {
  const rest = 1 - best.fit.crowding;
  const plain = tested(counts, best);
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
  if (best.isScored) return { ...tested(counts, best), fit: 'score', isOverloaded: false };
  if (!isOverloaded(best)) return { ...tested(counts, best), fit: 'linear', isOverloaded: false };
  if (best.fit.crowding <= MOST_CROWDED && best.fit.change <= UNSETTLED) {
    const crowded = crowdedly(counts, best);
    if (discoveriesOf(crowded.pValue, fdr).found >= LEAST_FOUND) return crowded;
  }
  const cautious = cautiously(counts, places, observed, normalQuantile(RARE / map.candidates), onStep);
  return { ...tested(counts, cautious), fit: 'linear', isOverloaded: true };
}
