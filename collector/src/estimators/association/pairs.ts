/**
 * What the fit of pairs (fit.ts) works on: debiased tallies, and the cells that each pair of a string and an answer sets.
 */

import { bloomBit, bloomBits, mechanismOf, type StringHash, type StringLaw } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import type { EstimateInput } from '../estimate-input.ts';
import type { Bloom } from '../estimation.ts';
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
export function evidenceOf(law: StringLaw, { tallies, perDevice, people }: Drawn): Evidence | undefined {
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

/** The cells that pairs set: those of pair c in the j-th cohort are at (c m + j) h, as indices into the evidence; -1 for a repeated one. */
export interface Places {
  readonly pairs: number;
  readonly cells: Int32Array;
}

export function placesOf({ law: { bits, hashes }, cohorts }: Evidence, texts: readonly StringHash[]): Places {
  const cells = new Int32Array(texts.length * cohorts.length * hashes).fill(-1);
  texts.forEach((text, c) => {
    for (let j = 0; j < cohorts.length; j++) {
      const [cohort, at] = [cohorts[j] as number, (c * cohorts.length + j) * hashes];
      if (hashes === 1) cells[at] = j * bits + bloomBit(text, cohort, 0, bits);
      else for (const [i, bit] of bloomBits(text, cohort, hashes, bits).entries()) cells[at + i] = j * bits + bit;
    }
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

/** Pairs, with what products with others need. */
export interface Group {
  readonly places: Places;
  readonly weights: Weights;
  /** By weight, Σ over the cells of each pair. */
  readonly sums: readonly Float64Array[];
  /** The pairs that have a cell: those from `starts` at the cell to `starts` at the next. */
  readonly starts: Int32Array;
  readonly owners: Int32Array;
}

export function groupOf(places: Places, weights: Weights, { excess }: Evidence): Group {
  const { cells, pairs } = places;
  const own = cells.length / Math.max(1, pairs);
  const starts = new Int32Array(excess.length + 1);
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as number;
    if (cell >= 0) starts[cell] = (starts[cell] as number) + 1;
  }
  for (let cell = 1; cell < starts.length; cell++) starts[cell] = (starts[cell] as number) + (starts[cell - 1] as number);
  const owners = new Int32Array(cells.length);
  for (let i = cells.length - 1; i >= 0; i--) {
    const cell = cells[i] as number;
    if (cell < 0) continue;
    starts[cell] = (starts[cell] as number) - 1;
    owners[starts[cell] as number] = Math.floor(i / own);
  }
  return { places, weights, sums: weights.map(({ byCell }) => sumsOver(places, byCell)), starts, owners };
}

/** From sums over the cells that two pairs share to those of Zᵀ W Z. */
function centred(shared: Float64Array, rows: Float64Array, columns: Float64Array, total: number, rho: number): Matrix {
  const found = new Matrix(rows.length, columns.length);
  for (let c = 0; c < rows.length; c++) {
    for (let d = 0; d < columns.length; d++) {
      const apart = rho * ((rows[c] as number) + (columns[d] as number)) - rho * rho * total;
      found.set(c, d, (shared[c * columns.length + d] as number) - apart);
    }
  }
  return found;
}

/** Zᵀ W Z of a group and other pairs, for each weight W; Z as in `centredSums`. */
export function products({ places, weights, sums, starts, owners }: Group, other: Places, rho: number): readonly Matrix[] {
  const width = other.cells.length / Math.max(1, other.pairs);
  return weights.map(({ byCell, total }, w) => {
    const shared = new Float64Array(places.pairs * other.pairs);
    for (let d = 0; d < other.pairs; d++) {
      for (let i = d * width; i < (d + 1) * width; i++) {
        const cell = other.cells[i] as number;
        if (cell < 0) continue;
        const weight = byCell[cell] as number;
        for (let at = starts[cell] as number; at < (starts[cell + 1] as number); at++) {
          const place = (owners[at] as number) * other.pairs + d;
          shared[place] = (shared[place] as number) + weight;
        }
      }
    }
    return centred(shared, sums[w] as Float64Array, sumsOver(other, byCell), total, rho);
  });
}

/** Zᵀ W Z of a few pairs, without an index of all cells. */
export function productsWithin({ pairs, cells }: Places, weights: Weights, { rho, law: { hashes } }: Evidence): readonly Matrix[] {
  const own = cells.length / pairs;
  return weights.map(({ byCell, total }) => {
    const shared = new Float64Array(pairs * pairs);
    for (let c = 0; c < pairs; c++) {
      for (let d = 0; d < pairs; d++) {
        let sum = 0;
        for (let i = 0; i < own; i++) {
          const cell = cells[c * own + i] as number;
          if (cell < 0) continue;
          const from = d * own + i - (i % hashes);
          for (let at = from; at < from + hashes; at++) if (cells[at] === cell) sum += byCell[cell] as number;
        }
        shared[c * pairs + d] = sum;
      }
    }
    const sums = Float64Array.from({ length: pairs }, (_, c) => shared[c * pairs + c] as number);
    return centred(shared, sums, sums, total, rho);
  });
}
