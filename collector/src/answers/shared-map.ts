/** The cells of a list of candidates in memory that threads share, so that a list is hashed once. */

import type { StringLaw } from '@murmuration/shared';
import type { CellMap } from '../decoding/decode/evidence.ts';
import { estimationOf } from '../estimation/mechanisms/table.ts';
import { cellMapOf } from './cells.ts';

/** How often progress is told. */
const STEPS = 50;

/** The bytes of the map of so many texts. */
export function mapBytesOf(law: StringLaw, texts: number): number {
  const { cohorts, hashes } = estimationOf(law).bloom(law);
  return Uint16Array.BYTES_PER_ELEMENT * texts * cohorts * hashes;
}

/** The cells that texts set. `onDone` is told how many texts are done, now and then. */
export function sharedMapOf(law: StringLaw, texts: readonly string[], onDone: (texts: number) => void): CellMap {
  const places = new Uint16Array(new SharedArrayBuffer(mapBytesOf(law, texts.length)));
  const { hashes } = cellMapOf(law, []);
  const step = Math.max(1, Math.ceil(texts.length / STEPS));
  const each = places.length / Math.max(1, texts.length);
  for (let from = 0; from < texts.length; from += step) {
    onDone(from);
    places.set(cellMapOf(law, texts.slice(from, from + step)).places, from * each);
  }
  return { candidates: texts.length, hashes, places };
}
