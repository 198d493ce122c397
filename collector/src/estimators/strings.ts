/**
 * Strings against a list of candidates, each by itself: RAPPOR (Erlingsson, Pihur, Korolova 2014, §4), and local hashing, which
 * for this page is a Bloom filter of k = g bits and one hash whose reports have a single one.
 *
 * In cohort j the candidate has h_j of k bits, C_jb of n_j reports have bit b, and n = Σ n_j. Another string has a given
 * one of these bits with probability ρ = 1 - (1 - 1/k)^h over the hash. With p = P(1 | bit 1) and q = P(1 | bit 0),
 *   f = (Σ_j mean_b C_jb / n - q - (p - q) ρ) / ((p - q)(1 - ρ))
 * is unbiased over hash and coins: local hashing's estimator (Wang et al. 2017, §4.4) over a family of cohorts.
 *
 * Its variance has two parts. The coins': with r = f + (1 - f) ρ, (r p(1-p) + (1-r) q(1-q)) / (n h (p-q)² (1-ρ)²).
 * The hash's: what the other strings w put on its bits, ρ / ((1-ρ) h) Σ_w Σ_j (n_jw / n)². That sum is itself estimated
 * from the tally, unlisted strings included: a cohort's debiased bits y_b have Σ_b (y_b - ρ)² = k ρ (1-ρ) Σ_w (n_jw/n_j)²
 * plus their own known variance, in expectation over the hash.
 */

import { bloomBits, hashString, mechanismOf, type StringHash, type StringLaw, type Support } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import { type Estimate, Z95 } from './estimate.ts';
import type { Question } from './estimator.ts';
import { rangeVariance } from './pure.ts';

/** A law's hash: k bits, h of them a string, m cohorts. */
interface Bloom {
  readonly bits: number;
  readonly hashes: number;
  readonly cohorts: number;
}

export const bloomOf = (law: StringLaw): Bloom =>
  law.mechanism === 'rappor' ? law : { bits: law.buckets, hashes: 1, cohorts: law.cohorts };

/** Σ_w Σ_j (n_jw / n)², the mass that collides, estimated from the tally. */
function collidingMass(tallies: Tallies, total: number, rho: number, { p, q }: Support, noise: (r: number) => number): number {
  let mass = 0;
  for (const { reports, cells } of tallies.values()) {
    let excess = 0;
    for (const count of cells) {
      const bit = (count / reports - q) / (p - q);
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
 * Coins and hash: the variance of a candidate's estimate by its share and by the mass that collides with it, Σ_w Σ_j
 * (n_jw / n)² over the other strings.
 */
export function stringVariance(law: StringLaw, reports: number, perDevice: number): (share: number, mass: number) => number {
  const { bits, hashes } = bloomOf(law);
  const { support } = mechanismOf(law);
  const { constant, slope } = rangeVariance(support(law), support(law, 'permanent'), perDevice);
  const rho = 1 - (1 - 1 / bits) ** hashes;
  return (share, mass) => {
    const coins = (constant + slope * (share + (1 - share) * rho)) / (reports * hashes * (1 - rho) ** 2);
    return coins + (mass * rho) / ((1 - rho) * hashes);
  };
}

/** The estimates of candidates, in their order. */
export function stringEstimates(law: StringLaw, { tallies, perDevice, candidates }: Question): Estimate[] {
  const total = [...tallies.values()].reduce((sum, { reports }) => sum + reports, 0);
  if (total === 0) return [];
  const bloom = bloomOf(law);
  const { bits, hashes, cohorts } = bloom;
  const { support: supportBy } = mechanismOf(law);
  const report = supportBy(law);
  const { p, q } = report;
  const { constant, slope } = rangeVariance(report, supportBy(law, 'permanent'), perDevice);
  const noise = (r: number): number => constant + slope * r;
  const rho = 1 - (1 - 1 / bits) ** hashes;
  const variance = stringVariance(law, total, perDevice);
  const colliding = collidingMass(tallies, total, rho, report, noise);
  return candidates.map((candidate) => {
    const support = supportOf(hashString(candidate), bloom, tallies) / total;
    const estimate = (support - q - (p - q) * rho) / ((p - q) * (1 - rho));
    const share = Math.min(1, Math.max(0, estimate));
    const others = Math.max(0, colliding - share ** 2 / cohorts - share / total);
    const standardError = Math.sqrt(variance(share, others));
    return { estimate, standardError, low: estimate - Z95 * standardError, high: estimate + Z95 * standardError };
  });
}
