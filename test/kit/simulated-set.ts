/**
 * Simulated sets: candidates of which some are somebody's string, strings on no list, and the counts of devices that each send one report. The
 * law is exact: devices are spread over strings and cohorts, and a bit's count is binomial given how many of a cohort's devices have it set.
 */

import type { CellCounts, CellMap } from '#collector/decoding/decode/evidence.ts';
import { binomialAt } from './coverage/multinomial.ts';
import { logBetween, oneOf, spread, type Uniform, uniforms } from './random.ts';

export const UNLISTED = ['none', 'a tenth', 'half', 'the top two'] as const;
export type Unlisted = (typeof UNLISTED)[number];

export type Shape = 'even' | 'exponential' | 'bell' | 'zipf' | 'steep' | 'two heavy';

/** What a set is drawn by. */
export interface Setting {
  readonly cells: number;
  readonly hashes: number;
  readonly cohorts: number;
  readonly inside: number;
  readonly outside: number;
  readonly reports: number;
  readonly strings: number;
  readonly nulls: number;
  readonly shape: Shape;
  readonly unlisted: Unlisted;
}

export interface SimulatedSet {
  readonly setting: Setting;
  readonly counts: CellCounts;
  readonly map: CellMap;
  /** By candidate: its share of the reports, and of the population. The first `listed` candidates are somebody's. */
  readonly sampled: Float64Array;
  readonly population: Float64Array;
  readonly listed: number;
  /** The shares of reports of strings on no list. */
  readonly others: Float64Array;
  /** The population's share of each cell, at c * (k + 1) + j. */
  readonly expected: Float64Array;
}

const WEIGHTS: { readonly [S in Shape]: (i: number, n: number) => number } = {
  even: () => 1,
  exponential: (i, n) => Math.exp((-5 * i) / n),
  bell: (i, n) => Math.exp(-0.5 * ((i - n / 2) / (n / 6)) ** 2),
  zipf: (i) => 1 / (i + 1),
  steep: (i) => (i + 1) ** -1.5,
  'two heavy': (i, n) => (i < 2 ? 0.3 : 0.4 / (n - 2)),
};

/** The places of so many strings. */
function placesOf(strings: number, { cells, hashes, cohorts }: Setting, uniform: Uniform): Uint16Array {
  const places = new Uint16Array(strings * cohorts * hashes);
  for (let at = 0; at < places.length; at += hashes) {
    for (let h = 0; h < hashes; h++) {
      const cell = Math.floor(uniform() * cells);
      places[at + h] = h > 0 && places[at] === cell ? cells : cell;
    }
  }
  return places;
}

/** Which strings are on no list. */
function missing({ strings, unlisted }: Setting, uniform: Uniform): readonly boolean[] {
  const chance = unlisted === 'a tenth' ? 0.1 : unlisted === 'half' ? 0.5 : 0;
  const found = Array.from({ length: strings }, (_, i) => (unlisted === 'the top two' ? i < 2 : uniform() < chance));
  if (!found.includes(false)) found[0] = false;
  return found;
}

/** Draws a set. At most two hashes. */
export function simulated(setting: Setting, seed: number): SimulatedSet {
  const uniform = uniforms(seed);
  const { cells, hashes, cohorts, inside, outside, reports, strings, nulls, shape } = setting;
  const width = cells + 1;
  const weights = Array.from({ length: strings }, (_, i) => WEIGHTS[shape](i, strings));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const absent = missing(setting, uniform);
  const order = [...absent.keys()].sort((a, b) => Number(absent[a]) - Number(absent[b]) || a - b);
  const listed = absent.filter((is) => !is).length;
  const own = placesOf(strings, setting, uniform);
  const expected = new Float64Array(cohorts * width);
  const having = new Float64Array(cohorts * width);
  const perCohort = new Float64Array(cohorts);
  const shares = new Float64Array(strings);
  let [left, rest] = [reports, 1];
  for (const [place, string] of order.entries()) {
    const share = (weights[string] as number) / all;
    const devices = place === strings - 1 ? left : binomialAt(left, Math.min(1, share / rest), uniform());
    left -= devices;
    rest -= share;
    shares[place] = devices / reports;
    const spreadOut = spread(devices, cohorts, uniform);
    for (let c = 0; c < cohorts; c++) {
      const here = spreadOut[c] as number;
      perCohort[c] = (perCohort[c] as number) + here;
      for (let h = 0; h < hashes; h++) {
        const cell = c * width + (own[(place * cohorts + c) * hashes + h] as number);
        having[cell] = (having[cell] as number) + here;
        expected[cell] = (expected[cell] as number) + share;
      }
    }
  }
  const counts = new Float64Array(cohorts * cells);
  for (let c = 0; c < cohorts; c++) {
    for (let j = 0; j < cells; j++) {
      const ones = having[c * width + j] as number;
      counts[c * cells + j] = binomialAt(ones, inside, uniform()) + binomialAt((perCohort[c] as number) - ones, outside, uniform());
    }
  }
  const row = cohorts * hashes;
  const places = new Uint16Array((listed + nulls) * row);
  places.set(own.subarray(0, listed * row));
  places.set(placesOf(nulls, setting, uniform), listed * row);
  const sampled = new Float64Array(listed + nulls);
  sampled.set(shares.subarray(0, listed));
  const population = new Float64Array(listed + nulls);
  for (let v = 0; v < listed; v++) population[v] = (weights[order[v] as number] as number) / all;
  return {
    setting,
    counts: { cohorts, cells, reports: perCohort, counts, inside, outside },
    map: { candidates: listed + nulls, hashes, places },
    sampled,
    population,
    listed,
    others: shares.slice(listed),
    expected,
  };
}

/** p* and q* of RAPPOR's p, q and f. */
export function chancesOf(p: number, q: number, f: number): Pick<Setting, 'inside' | 'outside'> {
  const half = (f * (p + q)) / 2;
  return { inside: half + (1 - f) * q, outside: half + (1 - f) * p };
}

const REGIMES: readonly (readonly [p: number, q: number, f: number])[] = [
  [0.5, 0.75, 0.5],
  [0.25, 0.75, 0.5],
  [0.25, 0.75, 0.25],
  [0.25, 0.75, 0],
  [0.39, 0.61, 0.45],
  [0.225, 0.775, 0],
  [0.1, 0.9, 0],
];
const MOST_CANDIDATES = 100_000;

/** A setting anywhere in the space: 30 to 100,000 candidates, 10,000 to 10,000,000 reports. */
export function settingOf(seed: number): Setting {
  const uniform = uniforms(seed + 1_000_000_000);
  const strings = Math.round(logBetween(30, 3000, uniform));
  const nulls = Math.round(Math.min(MOST_CANDIDATES - strings, strings * logBetween(0.2, 30, uniform)));
  return {
    cells: oneOf([8, 16, 32, 64, 128], uniform),
    hashes: oneOf([1, 2], uniform),
    cohorts: oneOf([16, 32, 64, 128], uniform),
    ...chancesOf(...oneOf(REGIMES, uniform)),
    reports: Math.round(logBetween(1e4, 1e7, uniform)),
    strings,
    nulls,
    shape: oneOf(['even', 'exponential', 'bell', 'zipf', 'steep'] as const, uniform),
    unlisted: oneOf(UNLISTED, uniform),
  };
}
