/**
 * The shares of candidate strings: by RAPPOR (Erlingsson, Pihur, Korolova 2014, §4), and by local hashing, which is treated here as a Bloom
 * filter of k = g bits with one hash, whose reports have a single one.
 *
 * In cohort j the candidate has h_j of k bits, C_jb of n_j reports have bit b, and n = Σ n_j. Another string has a given one of these bits
 * with probability ρ = 1 - (1 - 1/k)^h over the hash. With p = P(1 | bit 1) and q = P(1 | bit 0),
 *   f = (Σ_j mean_b C_jb / n - q - (p - q) ρ) / ((p - q)(1 - ρ))
 * is unbiased over hash and coins. This is local hashing's estimator (Wang et al. 2017, §4.4) over a family of cohorts.
 *
 * Its variance has two parts. The coins contribute, with r = f + (1 - f) ρ, (r p(1-p) + (1-r) q(1-q)) / (n h (p-q)² (1-ρ)²). The hash
 * contributes the collisions with other strings w, ρ / ((1-ρ) h) Σ_w Σ_j (n_jw / n)². That sum is itself estimated from the tally,
 * including strings that are not candidates: a cohort's debiased bits y_b have Σ_b (y_b - ρ)² = k ρ (1-ρ) Σ_w (n_jw/n_j)² plus their own
 * known variance, in expectation over the hash. Frequent candidates are fitted together first, and taken out of the cells (string-fit.ts):
 * the sum is then over the strings that are left.
 *
 * With one hash, the count is Σ_j C_jb, which is binomial with share r over the hash. So few reports get exact ends here, too
 * (statistics/counts.ts). A population's share also has the variance of its people (estimate.ts).
 */

import { CLEAR, hashString, mechanismOf, type StringLaw, type Support } from '@murmuration/shared';
import type { EstimateInput } from './estimate.ts';
import { type Estimate, scored, spreadOverPeople, THESE, type Variance } from './estimate.ts';
import type { Bloom, StringEstimation } from './estimation.ts';
import { countOf, rangeVariance } from './pure.ts';
import { withExactEnds } from './statistics/counts.ts';
import { type Cells, chanceOf, fitted, isFitting, type Left, layout, unitOf } from './string-fit.ts';
import type { Tallies } from './tally.ts';
import { reportsIn } from './tally.ts';
import { boundsOfSupport, ends } from './watch/bounds.ts';

/** The collision mass Σ f² assumed for a product's strings. */
const COLLISION_MASS = 0.05;

/** The tallies as the cells that strings are estimated from. */
function cellsOf(bloom: Bloom, tallies: Tallies, total: number, { p, q }: Support): Cells {
  const { starts, length } = layout(bloom, (cohort) => tallies.has(cohort));
  const values = new Float64Array(length);
  for (const [cohort, { reports, cells }] of tallies) {
    const start = starts[cohort] as number;
    for (let bit = 0; bit < bloom.bits; bit++) values[start + bit] = ((cells[bit] as number) - q * reports) / ((p - q) * total);
  }
  return { bloom, starts, values };
}

/** Σ_w Σ_j (n_jw / n)² of the strings that are left in the cells, the colliding mass. */
function collidingMass({ starts, values, left, taken, bloom }: Left, tallies: Tallies, total: number, noise: number): number {
  const { bits, cohorts } = bloom;
  const rho = chanceOf(bloom);
  let squares = 0;
  for (let cohort = 0; cohort < cohorts; cohort++) {
    const start = starts[cohort] as number;
    if (start < 0) continue;
    const expected = rho * ((tallies.get(cohort)?.reports ?? 0) / total - (1 - left) / cohorts);
    for (let at = start; at < start + bits; at++) squares += ((values[at] as number) - expected) ** 2;
  }
  return Math.max(0, (squares / (1 - taken) - noise) / (bits * rho * (1 - rho)));
}

/**
 * The variance of an estimate of a share f, given the mass that collides with it, Σ_w Σ_j (n_jw / n)² over the other strings: constant +
 * slope f.
 */
function coinsAndHash(law: StringLaw, bloom: Bloom, reports: number, perDevice: number): (mass: number) => Variance {
  const { support } = mechanismOf(law);
  const { constant, slope } = rangeVariance(support(law), support(law, 'permanent'), reports, perDevice);
  const rho = chanceOf(bloom);
  const { hashes } = bloom;
  const gain = hashes * (1 - rho) ** 2;
  return (mass) => ({
    constant: (constant + slope * rho) / gain + (mass * rho) / ((1 - rho) * hashes),
    slope: (slope * (1 - rho)) / gain,
    curve: 0,
  });
}

/** The variance of a candidate's estimate, from its share and the mass that collides with it. */
export function stringVariance(law: StringLaw, bloom: Bloom, reports: number, perDevice: number): (share: number, mass: number) => number {
  const at = coinsAndHash(law, bloom, reports, perDevice);
  return (share, mass) => {
    const { constant, slope } = at(mass);
    return constant + slope * share;
  };
}

/**
 * Bias of Σ f² of the other candidates from choosing the fitted ones by their own estimates, as their cells show it. With errors of standard
 * deviation s, an estimate x is fitted if x > T = CLEAR s. By Stein's identity, Σ E[(x² - s² - f²) 1(x > T)] = Σ s² (T + f) p(T), with p the
 * density of x. It is large only for f near T, so it is taken as 2 T s² p(T), and p(T) from the estimates within s / 2.
 */
function selectionMass(shares: readonly number[], error: number): number {
  const near = shares.filter((share) => Math.abs(share - CLEAR * error) < error / 2).length;
  return 2 * CLEAR * near * error ** 2;
}

/** The estimates of candidates, in their order. */
function stringEstimates(law: StringLaw, bloom: Bloom, { tallies, perDevice, candidates, people = THESE }: EstimateInput): Estimate[] {
  const total = reportsIn(tallies);
  if (total === 0) return [];
  const { bits, hashes, cohorts } = bloom;
  const { support: supportBy } = mechanismOf(law);
  const report = supportBy(law);
  const { p, q } = report;
  const rho = chanceOf(bloom);
  const cells = cellsOf(bloom, tallies, total, report);
  const { constant, slope } = rangeVariance(report, supportBy(law, 'permanent'), total, perDevice);
  const noise = constant * bits + slope * cells.values.reduce((sum, value) => sum + value, 0); // the variance of all cells
  const variance = coinsAndHash(law, bloom, total, perDevice);
  const massIn = (left: Left): number => collidingMass(left, tallies, total, noise);
  const hashOf = new Map(candidates.map((candidate) => [candidate, hashString(candidate)]));
  const errorOf = (left: Left): number => Math.sqrt(variance(massIn(left)).constant / (1 - left.taken));
  const fit = fitted(cells, [...hashOf.values()], errorOf);
  const shares = [...hashOf.keys()].map((_, place) => fit.shares.get(place) ?? fit.leftOf(place) / (1 - fit.taken));
  const colliding = massIn(fit) + (isFitting(bloom) ? selectionMass(shares, errorOf(fit)) / cohorts : 0);
  // A report supports a candidate when it has the candidate's bit. The probability is that of a randomly hashed bit.
  const chance = { p, q: q + (p - q) * rho };
  const countAt = countOf(total, chance, people);
  const estimates = shares.map((estimate, place) => {
    const isFitted = fit.shares.has(place);
    const kept = 1 - fit.taken + (isFitted ? unitOf(bloom) : 0);
    const share = Math.min(1, Math.max(0, estimate));
    const others = Math.max(0, colliding - (isFitted ? 0 : share ** 2 / cohorts) - share / total);
    const { constant, slope } = variance(others);
    const found = scored(estimate, spreadOverPeople({ constant: constant / kept, slope: slope / kept, curve: 0 }, people));
    const support = Math.round(total * (chance.q + (chance.p - chance.q) * estimate));
    return hashes === 1 && perDevice === 1 ? withExactEnds(found, support, countAt) : found;
  });
  const found = new Map([...hashOf.keys()].map((candidate, place) => [candidate, estimates[place] as Estimate]));
  return candidates.map((candidate) => found.get(candidate) as Estimate);
}

/**
 * The expected variance. Strings that are clear are taken to be candidates, so that they are fitted. All others have Σ f² of at most
 * `CLEAR` times the standard error of a rare one, or `COLLISION_MASS` if that is less.
 */
function noiseAt(law: StringLaw, bloom: Bloom, reports: number, share: number): number {
  const variance = stringVariance(law, bloom, reports, 1);
  const mass = isFitting(bloom) ? Math.min(COLLISION_MASS, CLEAR * Math.sqrt(variance(0, 0))) : COLLISION_MASS;
  return variance(share, mass / bloom.cohorts + 1 / reports);
}

/** Builds the estimation of strings from the parts specific to a mechanism. Other strings set a candidate's bits with probability ρ. */
export const candidatesBy = <L extends StringLaw>(
  bloom: (law: L) => Bloom,
): Pick<StringEstimation<L>, 'bloom' | 'estimates' | 'noiseAt' | 'bounds' | 'leverage'> => ({
  bloom,
  estimates: (law, input) => stringEstimates(law, bloom(law), input),
  noiseAt: (law, reports, share) => noiseAt(law, bloom(law), reports, share),
  bounds: (law) => boundsOfSupport(mechanismOf(law as StringLaw).support(law)),
  leverage: (law) => {
    const { p, q } = mechanismOf(law as StringLaw).support(law);
    const rho = chanceOf(bloom(law));
    return ends([0, 1].map((support) => (support - q - (p - q) * rho) / ((p - q) * (1 - rho))));
  },
});
