/**
 * Files of google/rappor that a decode reads: parameters, counts and the map.
 *
 * The parameters are a file with the header k,h,m,p,q,f and one record.
 */

import type { CellCounts, CellMap } from '../../decoding/decode/evidence.ts';
import { Records } from './records.ts';

/** The parameters of a RAPPOR client. */
export interface Params {
  /** k, the bits of a report. */
  readonly bits: number;
  /** h, the hashes of a string. */
  readonly hashes: number;
  /** m, the cohorts. */
  readonly cohorts: number;
  /** The probability that a report has a 1 for a stored bit that is 1. */
  readonly inside: number;
  /** The same for a stored bit that is 0. Below `inside`, unless the client sends its bits inverted. */
  readonly outside: number;
}

const HEADER = 'k,h,m,p,q,f';
const [MOST_BITS, MOST_HASHES, MOST_CELLS] = [65_535, 255, 2 ** 24];

function probability(records: Records, name: string): number {
  const text = records.text().trim();
  const value = text === '' ? Number.NaN : Number(text);
  if (!(value >= 0 && value <= 1)) throw records.error(`${name}, a probability from 0 to 1`, JSON.stringify(text));
  return value;
}

function read(records: Records): Params {
  const bits = records.whole('k, the bits', 1, MOST_BITS);
  const hashes = records.whole('h, the hashes', 1, MOST_HASHES);
  const cohorts = records.whole('m, the cohorts', 1, Math.floor(MOST_CELLS / bits));
  const [p, q, f] = [probability(records, 'p'), probability(records, 'q'), probability(records, 'f')];
  // A permanent bit keeps its value with probability 1 - f/2 (Erlingsson, Pihur, Korolova 2014, §2, steps 2 and 3).
  const [inside, outside] = [q * (1 - f / 2) + p * (f / 2), p * (1 - f / 2) + q * (f / 2)];
  if (inside === outside) throw records.error('reports that tell a 1 from a 0 (p other than q, f below 1)', `p ${p}, q ${q} and f ${f}`);
  records.end();
  return { bits, hashes, cohorts, inside, outside };
}

/** Reads the parameters. @throws {UsageError} when the file holds others */
export async function readParams(file: string): Promise<Params> {
  const records = new Records(file);
  let params: Params | undefined;
  let isBegun = false;
  while (await records.load()) {
    if (!isBegun && records.next(6)) {
      const names = Array.from({ length: 6 }, () => records.text());
      if (names.join() !== HEADER) throw records.error(`the header ${HEADER}`, names.join());
      records.end();
      isBegun = true;
    }
    while (records.next(6)) {
      if (params !== undefined) throw records.error('the end of the file', 'more parameters');
      params = read(records);
    }
  }
  if (params === undefined) throw records.error(isBegun ? 'a line of parameters' : `the header ${HEADER}`, 'the end of the file');
  return params;
}

// The counts of google/rappor: a line for each cohort without a header, with the cohort's reports, then how many of them set each bit.

/** Reads the counts. @throws {UsageError} when the file holds others than the parameters say */
export async function readCounts(file: string, { bits, cohorts, inside, outside }: Params): Promise<CellCounts> {
  const records = new Records(file);
  const reports = new Float64Array(cohorts);
  const counts = new Float64Array(cohorts * bits);
  let cohort = 0;
  while (await records.load()) {
    for (; records.next(bits + 1); cohort++) {
      if (cohort === cohorts) throw records.error(`${cohorts} lines, one for each cohort`, 'more');
      const own = records.whole('the reports of a cohort', 0, Number.MAX_SAFE_INTEGER);
      reports[cohort] = own;
      for (let bit = 0; bit < bits; bit++) counts[cohort * bits + bit] = records.whole('the reports of its cohort with a bit', 0, own);
      records.end();
    }
  }
  if (cohort < cohorts) throw records.error(`${cohorts} lines, one for each cohort`, `${cohort}`);
  if (reports.every((own) => own === 0)) throw records.error('reports in a cohort', 'none in any');
  if (inside > outside) return { cohorts, cells: bits, reports, counts, inside, outside };
  // Inverted bits: a report's zeros say what its ones say elsewhere.
  const zeros = counts.map((count, i) => (reports[Math.floor(i / bits)] as number) - count);
  return { cohorts, cells: bits, reports, counts: zeros, inside: 1 - inside, outside: 1 - outside };
}

/*
 * The map of google/rappor: a line for each candidate without a header, with the string, then for each cohort and hash the place of its bit
 * among the bits of all cohorts, counted from 1.
 */

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

// Finds a string that a list has twice. A Set of a million strings takes as long as reading them, so sorted hashes are looked at first.

/** 53 bits of hash: FNV-1a over the UTF-16 units, and a second time with another multiplier. */
function hashOf(text: string): number {
  let [first, second] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x5bd1e995);
    second ^= second >>> 15;
  }
  return (first >>> 0) * 2 ** 21 + (second >>> 11);
}

/** The index of the first string that is equal to one before it; undefined if there is none. */
function repeatedIn(texts: readonly string[]): number | undefined {
  const hashes = new Float64Array(texts.length);
  for (let i = 0; i < texts.length; i++) hashes[i] = hashOf(texts[i] as string);
  hashes.sort();
  let isSuspect = false;
  for (let i = 1; i < hashes.length; i++) if (hashes[i] === hashes[i - 1]) isSuspect = true;
  if (!isSuspect) return undefined;
  const known = new Set<string>();
  const found = texts.findIndex((text) => known.size === known.add(text).size);
  return found < 0 ? undefined : found;
}
