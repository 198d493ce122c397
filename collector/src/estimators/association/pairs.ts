/**
 * What the fit of pairs (fit.ts) works on: debiased tallies, and the cells that each pair of a string and an answer sets.
 */

import { bloomBits, mechanismOf, type StringHash, type StringLaw } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import type { EstimateInput } from '../estimate-input.ts';
import type { Bloom } from '../estimation.ts';
import { THESE } from '../people.ts';
import { reportsIn } from '../supports.ts';
import { estimationOf } from '../table.ts';

/** The noise of a debiased cell: linear in the share of people who have it. */
interface Noise {
  readonly constant: number;
  readonly slope: number;
  /** What k times the constant, and the slope, are more than the trace of the noise, because a report's cells sum to a constant. */
  readonly fixed: number;
}

/** Tallies of a law of strings, debiased. Cell b of the j-th cohort that has reports is at j k + b. */
export interface Evidence {
  readonly law: Bloom;
  readonly total: number;
  /** The cohorts that have reports, and how many each has: n_j. */
  readonly cohorts: readonly number[];
  readonly reports: Float64Array;
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

/** The evidence of tallies; undefined without reports. */
export function evidenceOf(law: StringLaw, { tallies, perDevice, people = THESE }: Omit<EstimateInput, 'candidates'>): Evidence | undefined {
  const { bloom: bloomOf, isSingle } = estimationOf(law);
  const bloom = bloomOf(law);
  const { bits, hashes } = bloom;
  const { p, q } = mechanismOf(law).support(law);
  const found = [...tallies].filter(([, { reports }]) => reports > 0).sort(([a], [b]) => a - b);
  const total = reportsIn(tallies);
  if (total === 0) return undefined;
  const rho = 1 - (1 - 1 / bits) ** hashes;
  const excess = new Float64Array(found.length * bits);
  found.forEach(([, { reports, cells }], j) => {
    for (let b = 0; b < bits; b++) excess[j * bits + b] = ((cells[b] as number) - q * reports) / (p - q) - rho * reports;
  });
  const [one, epoch] = [noiseOf(law, bloom, isSingle), noiseOf(law, bloom, isSingle, 'permanent')];
  const over = (part: keyof Noise): number => one[part] + (perDevice - 1) * epoch[part];
  return {
    law: bloom,
    total,
    cohorts: found.map(([cohort]) => cohort),
    reports: Float64Array.from(found, ([, { reports }]) => reports),
    excess,
    rho,
    rhoTwo: 1 - 2 * (1 - 1 / bits) ** hashes + (1 - 2 / bits) ** hashes,
    noise: { constant: over('constant'), slope: over('slope'), fixed: over('fixed') },
    perDevice,
    people,
  };
}

/** The cells that pairs set: those of pair c in the j-th cohort are at (c m + j) h, as indices into the evidence; -1 for a repeated one. */
export interface Places {
  readonly pairs: number;
  readonly cells: Int32Array;
}

export function placesOf({ law: { bits, hashes }, cohorts }: Evidence, texts: readonly StringHash[]): Places {
  const cells = new Int32Array(texts.length * cohorts.length * hashes).fill(-1);
  texts.forEach((text, c) => {
    cohorts.forEach((cohort, j) => {
      const own = bloomBits(text, cohort, hashes, bits);
      for (let i = 0; i < own.length; i++) cells[(c * cohorts.length + j) * hashes + i] = j * bits + (own[i] as number);
    });
  });
  return { pairs: texts.length, cells };
}

/** Several pairs' places as one. */
export function placesTogether(all: readonly Places[]): Places {
  const cells = new Int32Array(all.reduce((sum, places) => sum + places.cells.length, 0));
  let at = 0;
  for (const places of all) {
    cells.set(places.cells, at);
    at += places.cells.length;
  }
  return { pairs: all.reduce((sum, { pairs }) => sum + pairs, 0), cells };
}

/** For each pair, the sum of a weight over its cells. */
export function sumsOver({ pairs, cells }: Places, weights: Float64Array): Float64Array {
  const own = pairs === 0 ? 0 : cells.length / pairs;
  return Float64Array.from({ length: pairs }, (_, c) => {
    let sum = 0;
    for (let i = c * own; i < (c + 1) * own; i++) if ((cells[i] as number) >= 0) sum += weights[cells[i] as number] as number;
    return sum;
  });
}

export const sumOf = (numbers: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] as number;
  return sum;
};

/** Σ_j Σ_b z_b w_jb, z_b = [pair c sets b] - ρ, for each pair. */
export function centredSums(places: Places, weights: Float64Array, rho: number): Float64Array {
  const all = rho * sumOf(weights);
  return sumsOver(places, weights).map((sum) => sum - all);
}

/** Diagonal weights of the cells, each with its sum. */
export type Weights = readonly { readonly byCell: Float64Array; readonly total: number }[];

export const weightsOf = (...all: readonly Float64Array[]): Weights => all.map((byCell) => ({ byCell, total: sumOf(byCell) }));

/** Pairs by cell, for products with others. */
export interface Group {
  readonly places: Places;
  readonly weights: Weights;
  /** By weight, Σ over the cells of each pair. */
  readonly sums: readonly Float64Array[];
  /** The place of the first pair that has a cell, and after each place that of the next: -1 for none. */
  readonly first: Int32Array;
  readonly next: Int32Array;
}

/** @param first an array of -1 for each cell, which is kept; `release` undoes what is written */
export function groupOf(places: Places, weights: Weights, first: Int32Array): Group {
  const next = new Int32Array(places.cells.length);
  for (let i = 0; i < next.length; i++) {
    const cell = places.cells[i] as number;
    if (cell < 0) continue;
    next[i] = first[cell] as number;
    first[cell] = i;
  }
  return { places, weights, sums: weights.map(({ byCell }) => sumsOver(places, byCell)), first, next };
}

/** No pair has a cell. */
export const noPairs = ({ excess }: Evidence): Int32Array => new Int32Array(excess.length).fill(-1);

/** Makes the array of a group fit for another. */
export function release({ places: { cells }, first }: Group): void {
  for (let i = 0; i < cells.length; i++) if ((cells[i] as number) >= 0) first[cells[i] as number] = -1;
}

/** Zᵀ W Z of a group and other pairs, for each weight W; Z as in `centredSums`. */
export function products(group: Group, other: Places, rho: number): readonly Matrix[] {
  const { places, weights, first, next } = group;
  const [own, width] = [places.cells.length / Math.max(1, places.pairs), other.cells.length / Math.max(1, other.pairs)];
  const all = weights.map(() => new Float64Array(places.pairs * other.pairs));
  for (let i = 0; i < other.cells.length; i++) {
    const cell = other.cells[i] as number;
    if (cell < 0) continue;
    for (let at = first[cell] as number; at >= 0; at = next[at] as number) {
      const place = Math.floor(at / own) * other.pairs + Math.floor(i / width);
      for (let w = 0; w < all.length; w++) {
        const sum = all[w] as Float64Array;
        sum[place] = (sum[place] as number) + ((weights[w] as Weights[number]).byCell[cell] as number);
      }
    }
  }
  return weights.map(({ byCell, total }, w) => {
    const [rows, columns, sum] = [group.sums[w] as Float64Array, sumsOver(other, byCell), all[w] as Float64Array];
    const found = new Matrix(places.pairs, other.pairs);
    for (let c = 0; c < places.pairs; c++) {
      for (let d = 0; d < other.pairs; d++) {
        const apart = rho * ((rows[c] as number) + (columns[d] as number)) - rho * rho * total;
        found.set(c, d, (sum[c * other.pairs + d] as number) - apart);
      }
    }
    return found;
  });
}
