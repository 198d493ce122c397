/** The cells that pairs of a string and an answer set, and sums over them. */

import { bloomBit, bloomBits, type StringHash } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import type { CellEvidence } from './evidence.ts';

/** The cells that pairs set: those of pair c in the j-th cohort are at (c m + j) h, as indices into the evidence; -1 for a repeated one. */
export interface Places {
  readonly pairs: number;
  readonly cells: Int32Array;
}

export function placesOf({ law: { bits, hashes }, cohorts }: CellEvidence, texts: readonly StringHash[]): Places {
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

export function groupOf(places: Places, weights: Weights, { excess }: CellEvidence): Group {
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
  const all = weights.map(() => new Float64Array(places.pairs * other.pairs));
  for (let d = 0; d < other.pairs; d++) {
    for (let i = d * width; i < (d + 1) * width; i++) {
      const cell = other.cells[i] as number;
      if (cell < 0) continue;
      const [from, to] = [starts[cell] as number, starts[cell + 1] as number];
      for (let w = 0; w < all.length && from < to; w++) {
        const [shared, weight] = [all[w] as Float64Array, (weights[w] as Weights[number]).byCell[cell] as number];
        for (let at = from; at < to; at++) {
          const place = (owners[at] as number) * other.pairs + d;
          shared[place] = (shared[place] as number) + weight;
        }
      }
    }
  }
  return weights.map(({ byCell, total }, w) =>
    centred(all[w] as Float64Array, sums[w] as Float64Array, sumsOver(other, byCell), total, rho),
  );
}

/** Zᵀ W Z of a few pairs, without an index of all cells. */
export function productsWithin({ pairs, cells }: Places, weights: Weights, { rho, law: { hashes } }: CellEvidence): readonly Matrix[] {
  const own = cells.length / pairs;
  const sums = weights.map(({ byCell }) => sumsOver({ pairs, cells }, byCell));
  const all = weights.map(() => new Float64Array(pairs * pairs));
  const add = (c: number, d: number, cell: number): void => {
    for (let w = 0; w < all.length; w++) {
      const [shared, weight] = [all[w] as Float64Array, (weights[w] as Weights[number]).byCell[cell] as number];
      shared[c * pairs + d] = (shared[c * pairs + d] as number) + weight;
      shared[d * pairs + c] = (shared[d * pairs + c] as number) + weight;
    }
  };
  for (let c = 0; c < pairs; c++) {
    for (let w = 0; w < all.length; w++) (all[w] as Float64Array)[c * pairs + c] = (sums[w] as Float64Array)[c] as number;
    for (let d = 0; d < c; d++) {
      for (let block = 0; block < own; block += hashes) {
        for (let i = c * own + block; i < c * own + block + hashes; i++) {
          const cell = cells[i] as number;
          for (let at = d * own + block; at < d * own + block + hashes; at++) if (cell >= 0 && cells[at] === cell) add(c, d, cell);
        }
      }
    }
  }
  return weights.map(({ total }, w) => centred(all[w] as Float64Array, sums[w] as Float64Array, sums[w] as Float64Array, total, rho));
}
