/**
 * From counts of cells to strings: which candidates are there, each one's share with an interval that holds given that it is reported, and the
 * whole distribution with what is left for others. A pure function of its input: the same input gives the same numbers to the last bit.
 *
 * The fit is joint (message-passing.ts), the test is that of a random hash (null-law.ts), the selection holds the false discovery rate
 * (discoveries.ts), and the intervals allow for the selection (selection.ts). docs/decoder.md compares it with others.
 */

import type { Estimate } from '../../estimation/estimate.ts';
import { type Conditional, conditionalOn, type Reported, selectedSum } from '../../estimation/statistics/selection.ts';
import { normalQuantile, Z95 } from '../../estimation/statistics/tails.ts';
import { direct, hashed, isDirect } from './candidates.ts';
import { type Observed, observe } from './cells.ts';
import { discoveriesOf } from './discoveries.ts';
import type { CellCounts, CellMap, Decoded, DecodeInput, Outcome, Tested } from './evidence.ts';
import { ATOM, ATOMS, atomAt, count, emptyHistogram, evenTo, learn, type Mixture, mixtureOf, STRAIGHT, type Weights } from './signals.ts';

/** With fewer cells nothing is left to tell noise from strings. */
const LEAST_CELLS = 3;

const sum = (numbers: Uint8Array | Float64Array): number => {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
};

const within = (x: number): number => Math.min(1, Math.max(0, x));

/** Nothing can be said. */
function nothing(candidates: number): Decoded {
  const all = (value: number): Float64Array => new Float64Array(candidates).fill(value);
  return {
    outcome: 'not-enough-data',
    isFound: new Uint8Array(candidates),
    estimate: all(0),
    standardError: all(1),
    typical: all(0),
    low: all(0),
    high: all(1),
    pValue: all(1),
    qValue: all(1),
    detectable: 1,
    unexplained: 1,
    unexplainedError: 0,
    distribution: all(0),
    other: 1,
    fit: 'linear',
    dispersion: 1,
  };
}

/** The upper median. */
function middleOf(numbers: Float64Array): number {
  return numbers.slice().sort()[numbers.length >> 1] as number;
}

/** True if all cells of the cohorts with reports have the same share, as where nothing is ever set. Then no string differs from another. */
function isFlat({ cells, reports }: CellCounts, { width, shares }: Observed): boolean {
  const first = width * reports.findIndex((here) => here > 0);
  return shares.every((share, at) => share === shares[first] || at % width === cells || reports[Math.floor(at / width)] === 0);
}

/** For a p-value, the estimate of each candidate that has it. Nearly all candidates of a list have one threshold. */
function byThreshold({ leastAt }: Tested): (threshold: number) => (candidate: number) => number {
  const known = new Map<number, (candidate: number) => number>();
  return (threshold) => {
    const found = known.get(threshold) ?? leastAt(normalQuantile(threshold));
    known.set(threshold, found);
    return found;
  };
}

/**
 * The interval of a found string, given that its estimate is at least `least`. The variance of the estimate grows with the share s, V(s) =
 * V(0) + b s, as that of a count does. So the selection is that of h = 2 (√V(s) - √V(0)) / b, whose variance is 1 and which is less skewed
 * (Bartlett 1936). To second order its mean is b / (4 √V) below that of the share. Where b is small, h is s / √V(0).
 */
export function intervalOf(estimate: number, standardError: number, nullError: number, least: number): Conditional {
  const base = nullError ** 2;
  const slope = estimate > 0 ? Math.max(0, (standardError ** 2 - base) / estimate) : 0;
  const rootAt = (share: number): number => Math.sqrt(base + slope * Math.max(0, share));
  const from = (share: number): number => (2 * share) / (rootAt(share) + nullError) + slope / (4 * rootAt(share));
  const to = (h: number): number => h * nullError + (slope * h * h) / 4;
  const z = from(estimate);
  const { low, middle, high } = conditionalOn(z, Math.min(z, from(least)));
  return { low: to(low), middle: to(middle), high: to(high) };
}

/** Decodes. */
export function decode(input: DecodeInput): Decoded {
  const { counts, map, fdr } = input;
  const { candidates } = map;
  const observed = observe(counts);
  if (candidates === 0 || observed.live === 0) return nothing(candidates);
  const isOwn = isDirect(map, counts.cohorts);
  if (!isOwn && (observed.live < LEAST_CELLS || isFlat(counts, observed))) return nothing(candidates);
  const tests = isOwn ? direct(counts, map) : hashed(input, observed);
  const { estimate, nullError, pValue, isOverloaded } = tests;
  const all = sum(counts.reports);
  // The people are the sample of a population, however many reports each has sent.
  const fewer = Math.max(0, 1 / (counts.people ?? all) - 1 / all);
  const standardError = tests.standardError.map((own, v) => {
    const share = within(estimate[v] as number);
    return Math.hypot(own, Math.sqrt(fewer * share * (1 - share)));
  });
  const { qValues, thresholds, found } = discoveriesOf(pValue, fdr);
  const leastAt = byThreshold(tests);
  const [isFound, typical, low, high] = [
    new Uint8Array(candidates),
    new Float64Array(candidates),
    new Float64Array(candidates),
    new Float64Array(candidates),
  ];
  const least = new Float64Array(candidates);
  // A string that is found is somebody's.
  const one = 1 / all;
  const atLeastOne = (share: number): number => Math.min(1, Math.max(one, share));
  const known: Reported[] = [];
  for (let v = 0; v < candidates; v++) {
    const [share, error] = [estimate[v] as number, standardError[v] as number];
    least[v] = leastAt(thresholds[v] as number)(v);
    if ((qValues[v] as number) <= fdr) {
      const given = intervalOf(share, error, nullError[v] as number, least[v] as number);
      isFound[v] = 1;
      typical[v] = atLeastOne(given.middle);
      low[v] = atLeastOne(given.low);
      high[v] = atLeastOne(given.high);
      known.push({ estimate: share, standardError: error, threshold: Math.min(share, least[v] as number) });
    } else {
      typical[v] = within(share);
      low[v] = within(share - Z95 * error);
      high[v] = within(share + Z95 * error);
    }
  }
  const explained = selectedSum(known);
  const detectable = within(middleOf(least));
  const outcome: Outcome = isOverloaded ? 'overloaded' : found === 0 && detectable >= 1 ? 'not-enough-data' : 'decoded';
  return {
    outcome,
    isFound,
    estimate,
    standardError,
    typical,
    low,
    high,
    pValue,
    qValue: qValues,
    detectable,
    unexplained: within(1 - explained.sum),
    unexplainedError: Math.sqrt(explained.variance),
    ...wholeOf(estimate, standardError),
    fit: tests.fit,
    dispersion: tests.dispersion,
  };
}

/*
 * The whole distribution: a share for every candidate, near the truth together rather than tested one by one, and what is left for strings on
 * no list. Each share is the posterior median under a prior learned from all candidates, which has the least expected absolute error (Robbins
 * 1956 for the prior). So their sum, the total variation distance, is small. It says nothing about whether one string is there.
 *
 * In most lists large shares are rarer than small ones. So the prior is a mixture of densities that fall from 0 on (Stephens 2017), and of
 * single atoms for lists where that does not hold. EM starts with little weight on the atoms. In so few steps they gain weight only where they
 * are much likelier. A prior of atoms alone follows the noise of a short list.
 */

/** The last atom would stand for all candidates beyond it, and draw those below towards itself. */
const BEYOND = 9;
/** In standard errors: strings are even in (0, width]. */
const WIDTHS = [0.5, 1, 2, 4, BEYOND] as const;
const LAWS: readonly Weights[] = [atomAt(0), ...WIDTHS.map(evenTo), ...Array.from({ length: ATOMS - 1 }, (_, i) => atomAt(i + 1))];
const MIXTURE: Mixture = mixtureOf(LAWS);
/** At first half of the candidates are null, and a fifth of the others has an atom of its own. */
const [NULLS, OWN] = [0.5, 0.2];
const START: Weights = Float64Array.from(LAWS, (_, part) =>
  part === 0 ? NULLS : (1 - NULLS) * (part <= WIDTHS.length ? (1 - OWN) / WIDTHS.length : OWN / (ATOMS - 1)),
);
const [STEPS, PSEUDO_COUNTS] = [40, 1];
/** In standard errors. Below the first a share is 0, above the second it is the estimate. */
const [LEAST, MOST, FINE] = [-6, 7.5, 0.02];

export interface Whole {
  readonly distribution: Float64Array;
  readonly other: number;
}

/** The median of θ given z, with each atom's weight spread evenly to halfway between its neighbours; the atom at 0 is not spread. */
export function medianOf(weights: Weights, z: number): number {
  const each = weights.map((weight, a) => weight * Math.exp(z * a * ATOM - (a * ATOM) ** 2 / 2));
  const half = each.reduce((sum, x) => sum + x, 0) / 2;
  let below = 0;
  for (let a = 0; a < each.length; a++) {
    const here = each[a] as number;
    if (below + here >= half) return a === 0 ? 0 : (a - 0.5 + (half - below) / here) * ATOM;
    below += here;
  }
  return z;
}

/** From unbiased estimates and their standard errors. */
export function wholeOf(estimates: Float64Array, errors: Float64Array): Whole {
  const histogram = emptyHistogram();
  for (let v = 0; v < estimates.length; v++) {
    const z = (estimates[v] as number) / (errors[v] as number);
    if (z < BEYOND) count(histogram, z);
  }
  const parts = learn(histogram, STRAIGHT, START, STEPS, PSEUDO_COUNTS, MIXTURE);
  const weights = atomAt(0).map((_, a) => LAWS.reduce((sum, law, part) => sum + (parts[part] as number) * (law[a] as number), 0));
  const medians = Float64Array.from({ length: Math.round((MOST - LEAST) / FINE) + 2 }, (_, row) => medianOf(weights, LEAST + row * FINE));
  let sum = 0;
  const distribution = estimates.map((estimate, v) => {
    const error = errors[v] as number;
    const z = estimate / error;
    const place = (z - LEAST) / FINE;
    const row = Math.floor(place);
    const share =
      z >= MOST
        ? estimate
        : z < LEAST
          ? 0
          : error * ((row + 1 - place) * (medians[row] as number) + (place - row) * (medians[row + 1] as number));
    sum += share;
    return share;
  });
  if (sum > 1) for (let v = 0; v < distribution.length; v++) distribution[v] = (distribution[v] as number) / sum;
  return { distribution, other: Math.max(0, 1 - sum) };
}

/*
 * Hash collisions: candidates that set the same cells as another one in every cohort with reports. Nothing in the counts tells them apart, so whatever is
 * found is the share of all of them together.
 */

/** The number of collisions that chance is expected to make below which none is looked for. */
const RARE = 1e-6;

/** Marks with 1 the candidates that collide with another one in every cohort. */
function collisionsOf({ cohorts, cells, reports }: CellCounts, { candidates, hashes, places }: CellMap): Uint8Array {
  const collisions = new Uint8Array(candidates);
  const live = [...reports.keys()].filter((cohort) => (reports[cohort] as number) > 0);
  // Two random candidates agree in one place with probability 1/k, and in h places of a cohort in one of at most h! orders.
  const perCohort = Math.log(cells) * hashes - Array.from({ length: hashes }, (_, i) => Math.log(i + 1)).reduce((sum, log) => sum + log, 0);
  if (2 * Math.log(candidates) - live.length * Math.max(0, perCohort) < Math.log(RARE)) return collisions;
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
    else collisions[v] = collisions[other] = 1;
  }
  return collisions;
}

/** The candidates of reports of a single bit, which need no map: TRUE sets the bit and FALSE does not. */
export const SINGLE_BIT: readonly string[] = ['TRUE', 'FALSE'];

/** Decodes TRUE and FALSE, in this order: each alone, FALSE from the reports without the bit, at half of the false discovery rate (Bonferroni). */
function decodeBit({ counts, fdr }: Pick<DecodeInput, 'counts' | 'fdr'>): Decoded {
  const { cohorts, reports, inside, outside } = counts;
  const map = { candidates: 1, hashes: 1, places: new Uint16Array(cohorts) };
  const zeros = counts.counts.map((count, cohort) => (reports[cohort] as number) - count);
  const yes = decode({ counts, map, fdr: fdr / 2 });
  const no = decode({ counts: { ...counts, counts: zeros, inside: 1 - outside, outside: 1 - inside }, map, fdr: fdr / 2 });
  const both = (name: 'estimate' | 'standardError' | 'typical' | 'low' | 'high' | 'pValue' | 'qValue'): Float64Array =>
    Float64Array.of(yes[name][0] as number, no[name][0] as number);
  const isFound = Uint8Array.of(yes.isFound[0] as number, no.isFound[0] as number);
  const share = within(yes.estimate[0] as number);
  return {
    ...yes,
    outcome: yes.outcome === 'not-enough-data' ? no.outcome : yes.outcome,
    isFound,
    estimate: both('estimate'),
    standardError: both('standardError'),
    typical: both('typical'),
    low: both('low'),
    high: both('high'),
    pValue: both('pValue'),
    qValue: both('qValue').map((q) => Math.min(1, 2 * q)),
    unexplained: within(1 - both('typical').reduce((sum, typical, i) => sum + typical * (isFound[i] as number), 0)),
    distribution: Float64Array.of(share, 1 - share),
    other: 0,
  };
}

/** A decode for readers. */
export interface Findings extends Decoded {
  /** How many candidates are found. */
  readonly found: number;
  /** Candidates that no reports tell from another one. They are never found. */
  readonly indistinguishable: number;
}

/** Input of a decode for readers. */
export interface FindingsInput extends Omit<DecodeInput, 'map'> {
  readonly map: CellMap | undefined;
  /** The shares of the candidates, where those of the fit would be wrong. */
  readonly shares?: readonly Estimate[] | undefined;
}

/** Decodes for readers: by the map, or reports of a single bit without one. Colliding candidates are not found. */
export function findings({ map, shares, ...input }: FindingsInput): Findings {
  const own = map === undefined ? decodeBit(input) : decode({ ...input, map });
  const decoded = shares ? withShares(own, shares, 1 / sum(input.counts.reports)) : own;
  const collisions = map && collisionsOf(input.counts, map);
  const isFound = decoded.isFound.map((is, v) => (collisions?.[v] === 1 ? 0 : is));
  return { ...decoded, isFound, found: sum(isFound), indistinguishable: collisions ? sum(collisions) : 0 };
}

/** A decode with the shares that are given. A string that is found is somebody's. */
function withShares(decoded: Decoded, shares: readonly Estimate[], one: number): Decoded {
  const { isFound } = decoded;
  const each = (of: (share: Estimate) => number): Float64Array => Float64Array.from(shares, of);
  const [estimate, standardError] = [each((share) => share.estimate), each((share) => share.standardError)];
  const here = (ends: Float64Array): Float64Array => ends.map((end, v) => Math.min(1, Math.max(isFound[v] === 1 ? one : 0, end)));
  const typical = here(estimate);
  return {
    ...decoded,
    ...{ estimate, standardError, typical, low: here(each(({ low }) => low)), high: here(each(({ high }) => high)) },
    unexplained: within(1 - sum(typical.map((share, v) => share * (isFound[v] as number)))),
    unexplainedError: Math.sqrt(sum(standardError.map((error, v) => error ** 2 * (isFound[v] as number)))),
    ...wholeOf(estimate, standardError),
  };
}

/** Candidates by descending value, equal ones in their own order. */
export const descending = (values: Float64Array, chosen: (v: number) => boolean): Uint32Array =>
  Uint32Array.from(values.keys())
    .filter(chosen)
    .sort((a, b) => (values[b] as number) - (values[a] as number) || a - b);

/** The found candidates by descending share: the middle of what each one's share can be. */
export const foundIn = ({ isFound, typical }: Decoded): Uint32Array => descending(typical, (v) => isFound[v] === 1);
