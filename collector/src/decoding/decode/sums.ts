/** The two products with the map, which are nearly all of a decode's time: sums over a candidate's cells, and sums over a cell's candidates. */

import type { Field } from './cells.ts';
import type { CellMap } from './evidence.ts';

/** A map with the shape of its fields. */
export interface Places extends CellMap {
  readonly cohorts: number;
  /** k + 1. */
  readonly width: number;
}

/** Some candidates: the first `length` of `list`; undefined for all. */
export interface Some {
  readonly list: Int32Array;
  readonly length: number;
}

/** For each candidate, the sum of the field over its cells, put at its place in `into`. */
export function gather({ candidates, hashes, places, cohorts, width }: Places, field: Field, into: Float64Array, some?: Some): void {
  const row = cohorts * hashes;
  const end = cohorts * width;
  const length = some?.length ?? candidates;
  for (let i = 0; i < length; i++) {
    const v = some === undefined ? i : (some.list[i] as number);
    let at = v * row;
    let sum = 0;
    if (hashes === 1) {
      for (let offset = 0; offset < end; offset += width) sum += field[offset + (places[at++] as number)] as number;
    } else {
      for (let offset = 0; offset < end; offset += width) {
        for (let h = 0; h < hashes; h++) sum += field[offset + (places[at++] as number)] as number;
      }
    }
    into[v] = sum;
  }
}

/** For each cell, the sum of these candidates' shares over those that set it. Overwrites the field; its last column has no meaning. */
export function scatter({ hashes, places, cohorts, width }: Places, shares: Float64Array, field: Field, some: Some): void {
  const row = cohorts * hashes;
  const end = cohorts * width;
  field.fill(0);
  for (let i = 0; i < some.length; i++) {
    const v = some.list[i] as number;
    const share = shares[v] as number;
    if (share === 0) continue;
    let at = v * row;
    for (let offset = 0; offset < end; offset += width) {
      for (let h = 0; h < hashes; h++) {
        const cell = offset + (places[at++] as number);
        field[cell] = (field[cell] as number) + share;
      }
    }
  }
}
