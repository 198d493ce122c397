/** The designs that are compared. Each takes a set and a false discovery rate; only the last is what ships. */

import { sharesOf } from '#collector/decoding/decode/annealing.ts';
import { observe, type Problem, problemAt } from '#collector/decoding/decode/cells.ts';
import { decode } from '#collector/decoding/decode/decode.ts';
import { discoveriesOf } from '#collector/decoding/decode/discoveries.ts';
import type { DecodeInput } from '#collector/decoding/decode/evidence.ts';
import { beginning, messagePassing } from '#collector/decoding/decode/message-passing.ts';
import { count, emptyHistogram, flat, learn, meanAt, posteriorOf, STRAIGHT, slopeAt } from '#collector/decoding/decode/signals.ts';
import { normalTail } from '#collector/estimation/statistics/tails.ts';
import { leastSquares } from './squares.ts';
import type { Answer } from './verdict.ts';

export type Design = (input: DecodeInput) => Answer;

/** Benjamini-Hochberg, without Storey's estimate. */
function plainDiscoveries(pValues: Float64Array, fdr: number): number {
  const sorted = pValues.slice().sort();
  let most = 0;
  sorted.forEach((p, i) => {
    if (p <= (fdr * (i + 1)) / sorted.length) most = p;
  });
  return most;
}

/** Each candidate alone, as string metrics were estimated: other strings are noise (estimation/strings.ts), and BH on z. */
const alone: Design = ({ counts, map, fdr }) => {
  const { cohorts, cells, reports, counts: seen, inside: p, outside: q } = counts;
  const { candidates, hashes, places } = map;
  const total = reports.reduce((sum, each) => sum + each, 0);
  const rho = 1 - (1 - 1 / cells) ** hashes;
  let mass = 0;
  for (let c = 0; c < cohorts; c++) {
    const here = reports[c] as number;
    if (here === 0) continue;
    let excess = 0;
    for (let j = 0; j < cells; j++) {
      const bit = ((seen[c * cells + j] as number) / here - q) / (p - q);
      const rate = q + (p - q) * bit;
      excess += (bit - rho) ** 2 - (rate * (1 - rate)) / (p - q) ** 2 / here;
    }
    mass += (here / total) ** 2 * (excess / (cells * rho * (1 - rho)));
  }
  const [estimate, standardError, pValue] = [0, 1, 2].map(() => new Float64Array(candidates)) as [Float64Array, Float64Array, Float64Array];
  for (let v = 0; v < candidates; v++) {
    let support = 0;
    for (let c = 0; c < cohorts; c++) {
      let [sum, own] = [0, 0];
      for (let h = 0; h < hashes; h++) {
        const cell = places[(v * cohorts + c) * hashes + h] as number;
        if (cell === cells) continue;
        sum += seen[c * cells + cell] as number;
        own++;
      }
      support += sum / own;
    }
    const share = (support / total - q - (p - q) * rho) / ((p - q) * (1 - rho));
    const held = Math.min(1, Math.max(0, share));
    const others = Math.max(0, mass - held ** 2 / cohorts - held / total);
    const r = held + (1 - held) * rho;
    const coins = (r * p * (1 - p) + (1 - r) * q * (1 - q)) / (total * hashes * (p - q) ** 2 * (1 - rho) ** 2);
    estimate[v] = share;
    standardError[v] = Math.sqrt(coins + (others * rho) / ((1 - rho) * hashes));
    pValue[v] = normalTail(share / (standardError[v] as number));
  }
  const threshold = plainDiscoveries(pValue, fdr);
  return { isFound: Uint8Array.from(pValue, (each) => Number(each <= threshold)), estimate, standardError, label: 'alone' };
};

/** The problem at pooled shares, then at the shares of a linear fit. */
function linear({ counts, map }: DecodeInput) {
  const observed = observe(counts);
  const places = { ...map, cohorts: counts.cohorts, width: observed.width };
  const first = problemAt(counts, places, observed, () => observed.mean);
  const rough = messagePassing(first, beginning(first), { steps: 40, settled: 0.01 });
  const problem = problemAt(counts, places, observed, sharesOf(first, rough));
  return { problem, rough };
}

/** Linear message passing with a learned prior, normal p-values and BH with Storey's estimate (F of the study). */
const passing: Design = (input) => {
  const { problem, rough } = linear(input);
  const fit = messagePassing(problem, rough, { steps: 40, settled: 0.01 }, rough.prior);
  const spread = Math.sqrt(fit.dispersion);
  const standardError = problem.root.map((own) => (own === 0 ? 1 : spread / own));
  const pValue = fit.z.map(normalTail);
  const { qValues } = discoveriesOf(pValue, input.fdr);
  return {
    isFound: Uint8Array.from(qValues, (each) => Number(each <= input.fdr)),
    estimate: fit.z.map((z, v) => z * (standardError[v] as number)),
    standardError,
    distribution: fit.shares,
    label: 'passing',
  };
};

/** The least z whose candidates, with all above, are null with a mean probability of at most fdr. */
function byLocalRate(z: Float64Array, weights: Float64Array, fdr: number): number {
  const rates = [...z].sort((a, b) => b - a);
  let [sum, least] = [0, Number.POSITIVE_INFINITY];
  rates.forEach((each, i) => {
    let density = 0;
    weights.forEach((weight, a) => {
      density += weight * Math.exp(each * a * 0.25 - (a * 0.25) ** 2 / 2);
    });
    sum += (weights[0] as number) / density;
    if (sum <= fdr * (i + 1)) least = each;
  });
  return least;
}

/** Coordinate by coordinate with the same prior, and local false discovery rates (E of the study; Kim et al. 2024). */
const coordinates: Design = (input) => {
  const { problem } = linear(input);
  const { z, prior, spread } = descend(problem);
  const least = byLocalRate(z, prior, input.fdr);
  const standardError = problem.root.map((own) => (own === 0 ? 1 : spread / own));
  const posterior = posteriorOf(prior, STRAIGHT);
  return {
    isFound: Uint8Array.from(z, (each) => Number(each >= least)),
    estimate: z.map((each, v) => each * (standardError[v] as number)),
    standardError,
    distribution: z.map((each, v) => meanAt(posterior, each) * (standardError[v] as number)),
    label: 'coordinates',
  };
};

/** Sweeps until the shares settle. The residual's mean square and the posterior variances make the dispersion. */
function descend({ places, observed, weights, centred, root }: Problem) {
  const { candidates, cohorts, hashes, width } = places;
  const [shares, z, residual] = [new Float64Array(candidates), new Float64Array(candidates), centred.slice()];
  const row = cohorts * hashes;
  const total = weights.reduce((sum, each) => sum + each, 0);
  let [prior, dispersion] = [flat(0, 0.9), 0];
  for (let i = 0; i < weights.length; i++) dispersion += (weights[i] as number) * (residual[i] as number) ** 2;
  dispersion /= observed.live - 1;
  for (let sweep = 0; sweep < 40; sweep++) {
    const posterior = posteriorOf(prior, STRAIGHT);
    const spread = Math.sqrt(dispersion);
    let [change, variances, mean] = [0, 0, 0];
    for (let v = 0; v < candidates; v++) {
      const own = root[v] as number;
      if (own === 0) continue;
      let [sum, weight] = [0, 0];
      for (let at = v * row, place = 0; place < row; place++, at++) {
        const cell = Math.floor(place / hashes) * width + (places.places[at] as number);
        sum += (weights[cell] as number) * ((residual[cell] as number) - mean);
        weight += weights[cell] as number;
      }
      z[v] = ((shares[v] as number) * own + sum / own) / spread;
      const next = (spread / own) * meanAt(posterior, z[v] as number);
      variances += slopeAt(posterior, z[v] as number);
      const step = next - (shares[v] as number);
      change = Math.max(change, (Math.abs(step) * own) / spread);
      if (step === 0) continue;
      shares[v] = next;
      mean -= (step * weight) / total;
      for (let at = v * row, place = 0; place < row; place++, at++) {
        const cell = Math.floor(place / hashes) * width + (places.places[at] as number);
        residual[cell] = (residual[cell] as number) - step;
      }
    }
    mean = 0;
    for (let i = 0; i < weights.length; i++) mean += (weights[i] as number) * (residual[i] as number);
    mean /= total;
    let squares = 0;
    for (let i = 0; i < weights.length; i++) {
      if (weights[i] === 0) continue;
      residual[i] = (residual[i] as number) - mean;
      squares += (weights[i] as number) * (residual[i] as number) ** 2;
    }
    dispersion = (squares + dispersion * variances) / (observed.live - 1);
    const histogram = emptyHistogram();
    for (let v = 0; v < candidates; v++) count(histogram, z[v] as number);
    prior = learn(histogram, STRAIGHT, prior, sweep === 0 ? 60 : 20, 3);
    if (change < 0.05 && sweep > 3) break;
  }
  return { z, prior, spread: Math.sqrt(dispersion) };
}

/** Generalized least squares over all candidates, where there are at most 0.8 mk and 600 of them; otherwise nothing. */
const squares: Design = (input) => {
  const { problem } = linear(input);
  const { candidates } = input.map;
  const found = candidates > Math.min(600, 0.8 * problem.observed.live) ? undefined : leastSquares(problem);
  if (found === undefined) {
    const none = new Float64Array(candidates);
    return { isFound: new Uint8Array(candidates), estimate: none, standardError: none.map(() => 1), label: 'none' };
  }
  const pValue = found.estimate.map((estimate, v) => normalTail(estimate / (found.standardError[v] as number)));
  const { qValues } = discoveriesOf(pValue, input.fdr);
  return { ...found, isFound: Uint8Array.from(qValues, (each) => Number(each <= input.fdr)), label: 'squares' };
};

/** What ships. */
const shipping: Design = (input) => {
  const found = decode(input);
  return { ...found, label: `${found.outcome} ${found.fit}` };
};

export const designs: { readonly [name: string]: Design } = { alone, squares, passing, coordinates, decode: shipping };
