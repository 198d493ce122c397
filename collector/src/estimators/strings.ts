/**
 * The shares of candidate strings, each estimated independently: by RAPPOR (Erlingsson, Pihur, Korolova 2014, §4), and by local hashing,
 * which is treated here as a Bloom filter of k = g bits with one hash, whose reports have a single one.
 *
 * In cohort j the candidate has h_j of k bits, C_jb of n_j reports have bit b, and n = Σ n_j. Another string has a given one of these bits
 * with probability ρ = 1 - (1 - 1/k)^h over the hash. With p = P(1 | bit 1) and q = P(1 | bit 0),
 *   f = (Σ_j mean_b C_jb / n - q - (p - q) ρ) / ((p - q)(1 - ρ))
 * is unbiased over hash and coins. This is local hashing's estimator (Wang et al. 2017, §4.4) over a family of cohorts.
 *
 * Its variance has two parts. The coins contribute, with r = f + (1 - f) ρ, (r p(1-p) + (1-r) q(1-q)) / (n h (p-q)² (1-ρ)²). The hash
 * contributes the collisions with other strings w, ρ / ((1-ρ) h) Σ_w Σ_j (n_jw / n)². That sum is itself estimated from the tally,
 * including strings that are not candidates: a cohort's debiased bits y_b have Σ_b (y_b - ρ)² = k ρ (1-ρ) Σ_w (n_jw/n_j)² plus their own
 * known variance, in expectation over the hash.
 *
 * With one hash, the count is Σ_j C_jb, which is binomial with share r over the hash. So few reports get exact ends here, too
 * (exact-ends.ts). A population's share also has the variance of its people (people.ts).
 */

import { bloomBits, COLLISION_MASS, hashString, mechanismOf, type StringHash, type StringLaw, type Support } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import { ofSupport } from '../watch/bounds.ts';
import { ends } from '../watch/reach.ts';
import { type Estimate, scored, type Variance } from './estimate.ts';
import type { EstimateInput } from './estimate-input.ts';
import type { Bloom, StringEstimation } from './estimation.ts';
import { withExactEnds } from './exact-ends.ts';
import { spreadOverPeople, THESE } from './people.ts';
import { countOf, rangeVariance } from './pure.ts';
import { reportsIn } from './supports.ts';

/** Σ_w Σ_j (n_jw / n)², the colliding mass, estimated from the tally. */
function collidingMass(tallies: Tallies, total: number, rho: number, { p, q }: Support, noise: (r: number) => number): number {
  let mass = 0;
  for (const { reports, cells } of tallies.values()) {
    let excess = 0;
    for (let cell = 0; cell < cells.length; cell++) {
      const bit = ((cells[cell] as number) / reports - q) / (p - q);
      excess += (bit - rho) ** 2 - noise(bit) / reports;
    }
    mass += (reports / total) ** 2 * (excess / (cells.length * rho * (1 - rho)));
  }
  return Math.max(0, mass);
}

/** Σ_j mean_b C_jb: the support of a string. */
function supportOf(hash: StringHash, { hashes, bits }: Bloom, tallies: Tallies): number {
  let support = 0;
  for (const [cohort, { cells }] of tallies) {
    const own = bloomBits(hash, cohort, hashes, bits);
    support += own.reduce((sum, bit) => sum + (cells[bit] as number), 0) / own.length;
  }
  return support;
}

/**
 * The variance of an estimate of a share f, given the mass that collides with it, Σ_w Σ_j (n_jw / n)² over the other strings: constant +
 * slope f.
 */
function coinsAndHash(law: StringLaw, { bits, hashes }: Bloom, reports: number, perDevice: number): (mass: number) => Variance {
  const { support } = mechanismOf(law);
  const { constant, slope } = rangeVariance(support(law), support(law, 'permanent'), reports, perDevice);
  const rho = 1 - (1 - 1 / bits) ** hashes;
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

/** The estimates of candidates, in their order. */
function stringEstimates(law: StringLaw, bloom: Bloom, { tallies, perDevice, candidates, people = THESE }: EstimateInput): Estimate[] {
  const total = reportsIn(tallies);
  if (total === 0) return [];
  const { bits, hashes, cohorts } = bloom;
  const { support: supportBy } = mechanismOf(law);
  const report = supportBy(law);
  const { p, q } = report;
  const { constant, slope } = rangeVariance(report, supportBy(law, 'permanent'), 1, perDevice);
  const noise = (r: number): number => constant + slope * r;
  const rho = 1 - (1 - 1 / bits) ** hashes;
  const variance = coinsAndHash(law, bloom, total, perDevice);
  const colliding = collidingMass(tallies, total, rho, report, noise);
  // A report supports a candidate when it has the candidate's bit. The probability is that of a randomly hashed bit.
  const chance = { p, q: q + (p - q) * rho };
  const countAt = countOf(total, chance, people);
  return candidates.map((candidate) => {
    const support = supportOf(hashString(candidate), bloom, tallies);
    const estimate = (support / total - q - (p - q) * rho) / ((p - q) * (1 - rho));
    const share = Math.min(1, Math.max(0, estimate));
    const others = Math.max(0, colliding - share ** 2 / cohorts - share / total);
    const found = scored(estimate, spreadOverPeople(variance(others), people));
    return hashes === 1 && perDevice === 1 ? withExactEnds(found, support, countAt) : found;
  });
}

/** Builds the estimation of strings from the parts specific to a mechanism. Other strings set a candidate's bits with probability ρ. */
export const candidatesBy = <L extends StringLaw>(
  bloom: (law: L) => Bloom,
): Pick<StringEstimation<L>, 'bloom' | 'estimates' | 'noiseAt' | 'bounds' | 'leverage'> => ({
  bloom,
  estimates: (law, input) => stringEstimates(law, bloom(law), input),
  noiseAt: (law, reports, share) => stringVariance(law, bloom(law), reports, 1)(share, COLLISION_MASS / law.cohorts + 1 / reports),
  bounds: (law) => ofSupport(mechanismOf(law as StringLaw).support(law)),
  leverage: (law) => {
    const { p, q } = mechanismOf(law as StringLaw).support(law);
    const { bits, hashes } = bloom(law);
    const rho = 1 - (1 - 1 / bits) ** hashes;
    return ends([0, 1].map((support) => (support - q - (p - q) * rho) / ((p - q) * (1 - rho))));
  },
});
