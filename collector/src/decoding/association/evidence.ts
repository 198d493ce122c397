/** Tallies of a law of strings, debiased cell by cell: what the fit of pairs (fit.ts) starts from. */

import { mechanismOf, type StringLaw } from '@murmuration/shared';
import type { EstimateInput } from '../../estimation/estimate.ts';
import type { Bloom } from '../../estimation/estimation.ts';
import { estimationOf } from '../../estimation/mechanisms/table.ts';
import { reportsIn } from '../../estimation/tally.ts';

/** The noise of a debiased cell: linear in the share of people who have it. */
interface Noise {
  readonly constant: number;
  readonly slope: number;
  /** Excess of k times the constant, and of the slope, over the trace of the noise, because a report's cells sum to a constant. */
  readonly fixed: number;
}

/** Tallies of a law of strings, debiased. Cell b of the j-th cohort that has reports is at j k + b. */
export interface CellEvidence {
  readonly law: Bloom;
  readonly total: number;
  /** The cohorts that have reports, and how many each has: n_j. */
  readonly cohorts: readonly number[];
  readonly reports: Float64Array;
  /** n_j for each cell. */
  readonly byCell: Float64Array;
  /** n_j (Y_jb - ρ), Y_jb the estimated share of a cohort's people who have the cell. */
  readonly excess: Float64Array;
  /** ρ, the probability that a random string sets a given cell, and ρ₂, that it sets two given ones. */
  readonly rho: number;
  readonly rhoTwo: number;
  readonly noise: Noise;
  readonly perDevice: number;
  readonly people: number;
}

/** The noise of one report's debiased cells given the answers, apart from multiples of 1, which Z_j cancels (fit.ts). */
function noiseOf(law: StringLaw, { bits }: Bloom, isSingle: boolean, stage?: 'permanent'): Noise {
  const { p, q } = mechanismOf(law).support(law, stage);
  const gain = p - q;
  if (isSingle) return { constant: q / gain ** 2, slope: 1 / gain - 1, fixed: (q * (bits * q + 2 * gain)) / gain ** 2 };
  return { constant: (q * (1 - q)) / gain ** 2, slope: (p * (1 - p) - q * (1 - q)) / gain ** 2, fixed: 0 };
}

/** The input of an estimate, of people who are drawn from a population. */
export type Drawn = Omit<EstimateInput, 'candidates'> & { readonly people: number };

/** The evidence of tallies; undefined without reports. */
export function evidenceOf(law: StringLaw, { tallies, perDevice, people }: Drawn): CellEvidence | undefined {
  const { bloom: bloomOf, isSingle } = estimationOf(law);
  const bloom = bloomOf(law);
  const { bits, hashes } = bloom;
  const { p, q } = mechanismOf(law).support(law);
  const found = [...tallies].filter(([, { reports }]) => reports > 0).sort(([a], [b]) => a - b);
  const total = reportsIn(tallies);
  if (total === 0) return undefined;
  const rho = 1 - (1 - 1 / bits) ** hashes;
  const [excess, byCell] = [new Float64Array(found.length * bits), new Float64Array(found.length * bits)];
  found.forEach(([, { reports, cells }], j) => {
    byCell.fill(reports, j * bits, (j + 1) * bits);
    for (let b = 0; b < bits; b++) excess[j * bits + b] = ((cells[b] as number) - q * reports) / (p - q) - rho * reports;
  });
  const [one, epoch] = [noiseOf(law, bloom, isSingle), noiseOf(law, bloom, isSingle, 'permanent')];
  const over = (part: keyof Noise): number => one[part] + (perDevice - 1) * epoch[part];
  return {
    law: bloom,
    total,
    cohorts: found.map(([cohort]) => cohort),
    reports: Float64Array.from(found, ([, { reports }]) => reports),
    byCell,
    excess,
    rho,
    rhoTwo: 1 - 2 * (1 - 1 / bits) ** hashes + (1 - 2 / bits) ** hashes,
    noise: { constant: over('constant'), slope: over('slope'), fixed: over('fixed') },
    perDevice,
    people,
  };
}
