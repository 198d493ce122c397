/**
 * The map of google/rappor: a line for each candidate without a header, with the string, then for each cohort and hash the place of its bit
 * among the bits of all cohorts, counted from 1.
 */

import type { CellMap } from '../../decoding/decode/evidence.ts';
import type { Params } from './params.ts';
import { Records } from './records.ts';
import { repeatedIn } from './repeated.ts';

/** Candidates and the cells that they set. */
export interface NamedMap {
  readonly names: readonly string[];
  readonly map: CellMap;
}

const FIRST_ROOM = 2 ** 20; // places, at least

/** An array twice as long. What it has room for costs no memory before it is written. */
function grown(places: Uint16Array): Uint16Array {
  const longer = new Uint16Array(2 * places.length);
  longer.set(places);
  return longer;
}

/** Writes the places of a record's indexes from `at`. One that hits the same cell of its cohort as one before it holds `bits` instead. */
function addPlaces(records: Records, { bits, hashes }: Params, indexes: Int32Array, places: Uint16Array, at: number): void {
  for (let i = 0, base = 1; i < indexes.length; base += bits) {
    for (const first = i, end = i + hashes; i < end; i++) {
      const index = indexes[i] as number;
      let cell = index - base;
      if (cell < 0 || cell >= bits)
        throw records.error(`an index of its cohort, from ${base} to ${base + bits - 1}, in field ${i + 2}`, `${index}`);
      for (let other = first; other < i; other++) if (indexes[other] === index) cell = bits;
      places[at + i] = cell;
    }
  }
}

/** Reads the map. @throws {UsageError} when the file holds another one than the parameters say */
export async function readMap(file: string, params: Params): Promise<NamedMap> {
  const { bits, cohorts, hashes } = params;
  const records = new Records(file);
  const [names, lines] = [[] as string[], [] as number[]];
  const indexes = new Int32Array(cohorts * hashes);
  let places: Uint16Array = new Uint16Array(Math.ceil(FIRST_ROOM / indexes.length) * indexes.length);
  let at = 0;
  while (await records.load()) {
    for (; records.next(1 + indexes.length); at += indexes.length) {
      names.push(records.text());
      lines.push(records.line);
      if (at === places.length) places = grown(places);
      records.numbers('an index', cohorts * bits, indexes);
      records.end();
      addPlaces(records, params, indexes, places, at);
    }
  }
  if (names.length === 0) throw records.error('a line for each candidate', 'the end of the file');
  const repeated = repeatedIn(names);
  if (repeated !== undefined) throw records.error('each string once', `${JSON.stringify(names[repeated])} again`, lines[repeated]);
  return { names, map: { candidates: names.length, hashes, places: places.subarray(0, at) } };
}
