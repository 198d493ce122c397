/**
 * The map of google/rappor: a line for each candidate without a header, with the string, then for each cohort and hash the place of its bit
 * among the bits of all cohorts, counted from 1.
 */

import type { CellMap } from '../estimators/decode/evidence.ts';
import type { Params } from './params.ts';
import { Records } from './records.ts';

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

/** Writes one cohort's places from `at`. A place that hits the same cell as one before it holds `bits` instead. */
function addPlaces(records: Records, { bits, hashes }: Params, places: Uint16Array, at: number, cohort: number): void {
  const base = cohort * bits + 1;
  for (let i = 0; i < hashes; i++) {
    let cell = records.whole('a bit of the cohort', base, base + bits - 1) - base;
    for (let other = 0; other < i; other++) if (places[at + other] === cell) cell = bits;
    places[at + i] = cell;
  }
}

/** Reads the map. @throws {UsageError} when the file holds another one than the parameters say */
export async function readMap(file: string, params: Params): Promise<NamedMap> {
  const { cohorts, hashes } = params;
  const records = new Records(file);
  const [names, known] = [[] as string[], new Set<string>()];
  let places: Uint16Array = new Uint16Array(Math.ceil(FIRST_ROOM / (cohorts * hashes)) * cohorts * hashes);
  let at = 0;
  while (await records.load()) {
    while (records.next(1 + cohorts * hashes)) {
      const name = records.text();
      if (known.size === known.add(name).size) throw records.error('each string once', `${JSON.stringify(name)} again`);
      names.push(name);
      if (at === places.length) places = grown(places);
      for (let cohort = 0; cohort < cohorts; cohort++, at += hashes) addPlaces(records, params, places, at, cohort);
      records.end();
    }
  }
  if (names.length === 0) throw records.error('a line for each candidate', 'the end of the file');
  return { names, map: { candidates: names.length, hashes, places: places.subarray(0, at) } };
}
