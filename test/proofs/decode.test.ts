/** Proofs of the decoder as a whole: the same bytes from the same input, no NaN from any, and calibrated over simulated sets. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '#collector/decoding/decode/decode.ts';
import type { CellCounts, CellMap, Decoded, DecodeInput } from '#collector/decoding/decode/evidence.ts';
import { chancesOf, type Setting, type SimulatedSet, simulated } from '../kit/simulated-set.ts';
import { EFFORT } from '../setup/effort.ts';
import { atMost } from './statistics.ts';

const SETTING: Setting = {
  cells: 32,
  hashes: 1,
  cohorts: 32,
  ...chancesOf(0.25, 0.75, 0.25),
  reports: 200_000,
  strings: 20,
  nulls: 80,
  shape: 'zipf',
  unlisted: 'none',
};
const inputOf = ({ counts, map }: Pick<SimulatedSet, 'counts' | 'map'>): DecodeInput => ({ counts, map, fdr: 0.05 });
const decoded = (set: SimulatedSet): Decoded => decode(inputOf(set));

/** No number is NaN or infinite, and shares lie where shares lie. */
function expectSound(found: Decoded, candidates: number): void {
  for (const values of Object.values(found)) {
    if (typeof values === 'number') expect(values).toSatisfy(Number.isFinite);
    if (!ArrayBuffer.isView(values)) continue;
    expect(values).toHaveLength(candidates);
    expect(values as Float64Array).toSatisfy((all: Float64Array) => all.every(Number.isFinite));
  }
  for (const shares of [found.typical, found.low, found.high, found.distribution, found.pValue, found.qValue])
    expect(shares).toSatisfy((all: Float64Array) => all.every((share) => share >= 0 && share <= 1 + 1e-12));
  found.low.forEach((low, v) => {
    expect(low).toBeLessThanOrEqual(found.high[v] as number);
  });
  expect(found.standardError).toSatisfy((all: Float64Array) => all.every((error) => error > 0));
  expect(found.distribution.reduce((sum, share) => sum + share, found.other)).toBeCloseTo(1, 9);
}

test('the same input gives the same bytes, and is not changed', () => {
  for (const setting of [SETTING, { ...SETTING, hashes: 2, unlisted: 'the top two', reports: 2_000_000 } as const]) {
    const set = simulated(setting, 1);
    const before = [set.counts.counts.slice(), set.counts.reports.slice(), set.map.places.slice()];
    const first = decoded(set);
    decoded(simulated(SETTING, 2)); // nothing is kept from another decode
    expect(decoded(set)).toEqual(first);
    expect([set.counts.counts, set.counts.reports, set.map.places]).toEqual(before);
  }
});

test('each step is told, and telling changes nothing', () => {
  const set = simulated(SETTING, 1);
  let steps = 0;
  const told = decode({
    ...inputOf(set),
    onStep: () => {
      steps++;
    },
  });
  expect(told).toEqual(decoded(set));
  expect(steps).toBeGreaterThan(10);
});

test('strings are found where there is enough data, and a count of devices changes what is detectable', () => {
  const few = decoded(simulated({ ...SETTING, reports: 5_000 }, 3));
  const many = decoded(simulated({ ...SETTING, reports: 5_000_000 }, 3));
  expect(many.outcome).toBe('decoded');
  expect(Array.from(many.isFound.subarray(0, 20))).toEqual(Array(20).fill(1));
  expect(many.detectable).toBeLessThan(few.detectable / 5);
  expect(many.unexplained).toBeLessThan(0.05);
});

test('what is on no list is unexplained, and other', () => {
  const set = simulated({ ...SETTING, reports: 5_000_000, unlisted: 'the top two' }, 4);
  const { unexplained, unexplainedError, other } = decoded(set);
  const missing = set.others.reduce((sum, share) => sum + share, 0);
  expect(Math.abs(unexplained - missing)).toBeLessThan(6 * unexplainedError);
  expect(Math.abs(other - missing)).toBeLessThan(6 * unexplainedError);
});

test('where a string that everybody has could not be reported there is not enough data', () => {
  const { outcome, isFound } = decoded(simulated({ ...SETTING, ...chancesOf(0.45, 0.55, 0.5), reports: 60 }, 5));
  expect([outcome, isFound.includes(1)]).toEqual(['not-enough-data', false]);
});

test('candidates with the same cells get the same answer', () => {
  const set = simulated(SETTING, 6);
  const { candidates, hashes, places } = set.map;
  const row = SETTING.cohorts * hashes;
  const twice = new Uint16Array(places.length + row);
  twice.set(places);
  twice.set(places.subarray(0, row), places.length);
  const { estimate, pValue } = decode(inputOf({ ...set, map: { candidates: candidates + 1, hashes, places: twice } }));
  expect([estimate[candidates], pValue[candidates]]).toEqual([estimate[0], pValue[0]]);
});

describe('degenerate input', () => {
  const counts = (cohorts: number, cells: number, reports: number[], fill: (i: number) => number): CellCounts => ({
    cohorts,
    cells,
    reports: Float64Array.from(reports),
    counts: Float64Array.from({ length: cohorts * cells }, (_, i) => fill(i)),
    inside: 0.75,
    outside: 0.25,
  });
  const mapOf = (hashes: number, ...places: number[][]): CellMap => ({
    candidates: places.length,
    hashes,
    places: Uint16Array.from(places.flat()),
  });

  test('without reports or candidates there is not enough data', () => {
    const none = decode({ counts: counts(2, 4, [0, 0], () => 0), map: mapOf(1, [0, 1]), fdr: 0.05 });
    expect([none.outcome, none.other, none.high[0]]).toEqual(['not-enough-data', 1, 1]);
    expectSound(none, 1);
    const empty = decode({ counts: counts(1, 4, [9], () => 3), map: mapOf(1), fdr: 0.05 });
    expect(empty.outcome).toBe('not-enough-data');
  });

  test('cells that are not hashed are estimated directly', () => {
    // Shares .5, .3, .2, 0 of 100,000: rates .25 + .5 s.
    const rates = [0.5, 0.4, 0.35, 0.25];
    const found = decode({
      counts: counts(1, 4, [100_000], (i) => 100_000 * (rates[i] as number)),
      map: mapOf(1, [0], [1], [2], [3]),
      fdr: 0.05,
    });
    expect(found.fit).toBe('direct');
    expect(Array.from(found.isFound)).toEqual([1, 1, 1, 0]);
    for (const [v, share] of [0.5, 0.3, 0.2, 0].entries()) expect(found.estimate[v]).toBeCloseTo(share, 12);
    expect(found.standardError[0]).toBeCloseTo(Math.sqrt(0.25 / 100_000) / 0.5, 12);
    expectSound(found, 4);
  });

  test('a direct p-value is a binomial tail', () => {
    for (const count of [10, 13, 17, 25]) {
      const { pValue } = decode({ counts: counts(1, 1, [40], () => count), map: mapOf(1, [0]), fdr: 0.05 });
      const exact = 1 - atMost(count - 1, 40, 0.25);
      expect(Math.abs(Math.log((pValue[0] as number) / exact))).toBeLessThan(0.05);
    }
  });

  test('empty cohorts say nothing, and change nothing', () => {
    const set = simulated(SETTING, 7);
    const { cells, cohorts } = set.counts;
    const row = cohorts * set.map.hashes;
    const wider: CellCounts = {
      ...set.counts,
      cohorts: cohorts + 1,
      reports: Float64Array.from([...set.counts.reports, 0]),
      counts: Float64Array.from([...set.counts.counts, ...new Float64Array(cells)]),
    };
    const places = new Uint16Array(set.map.candidates * (row + 1));
    for (let v = 0; v < set.map.candidates; v++) places.set(set.map.places.subarray(v * row, (v + 1) * row), v * (row + 1));
    expect(decode({ counts: wider, map: { ...set.map, places }, fdr: 0.05 })).toEqual(decoded(set));
  });

  test('no input gives NaN', () => {
    const shape = fc.record({
      cohorts: fc.integer({ min: 1, max: 5 }),
      cells: fc.integer({ min: 1, max: 6 }),
      hashes: fc.integer({ min: 1, max: 3 }),
      candidates: fc.integer({ min: 1, max: 8 }),
      size: fc.constantFrom(1, 7, 1_000, 1e7),
      chances: fc.constantFrom([0.75, 0.25], [1, 0], [0.51, 0.5], [0.9, 0]),
      seed: fc.integer({ min: 1, max: 1e6 }),
    });
    fc.assert(
      fc.property(shape, ({ cohorts, cells, hashes, candidates, size, chances: [inside = 1, outside = 0], seed }) => {
        let state = seed;
        const next = (below: number): number => {
          state = (state * 48_271) % 2_147_483_647;
          return state % below;
        };
        const reports = Float64Array.from({ length: cohorts }, () => (next(4) === 0 ? 0 : 1 + next(size)));
        const sums = Float64Array.from({ length: cohorts * cells }, (_, i) => next((reports[Math.floor(i / cells)] as number) + 1));
        const places = new Uint16Array(candidates * cohorts * hashes);
        for (let at = 0; at < places.length; at++) {
          const [start, cell] = [at - (at % hashes), next(cells)];
          places[at] = places.subarray(start, at).includes(cell) ? cells : cell;
        }
        const found = decode({
          counts: { cohorts, cells, reports, counts: sums, inside, outside },
          map: { candidates, hashes, places },
          fdr: 0.1,
        });
        expectSound(found, candidates);
      }),
      { numRuns: 100 * EFFORT, seed: 1 },
    );
  });
});

/** Each of these fails a right decoder with probability below 1e-6, were its intervals and p-values exact. */
describe('over simulated sets', () => {
  const ALARM = 1e-6;
  const sets = (setting: Setting, count: number): readonly (SimulatedSet & { readonly found: Decoded })[] =>
    Array.from({ length: count }, (_, i) => {
      const set = simulated(setting, 100 + i);
      return { ...set, found: decoded(set) };
    });

  test.each([
    ['everything listed', { ...SETTING, reports: 1_000_000 }],
    ['two hashes, a tenth unlisted', { ...SETTING, hashes: 2, unlisted: 'a tenth' }],
    ['heavy strings unlisted, fitted by score', { ...SETTING, cohorts: 64, reports: 3_000_000, unlisted: 'the top two' }],
  ] as const)('p-values of null candidates are uniform, and intervals cover: %s', (_name, setting) => {
    const all = sets(setting, 12 * EFFORT);
    const nulls = all.flatMap(({ found, listed }) => Array.from(found.pValue.subarray(listed)));
    for (const level of [0.5, 0.05, 0.005]) {
      const below = nulls.filter((p) => p <= level).length;
      expect(1 - atMost(below - 1, nulls.length, level)).toBeGreaterThan(ALARM);
      expect(atMost(below, nulls.length, level)).toBeGreaterThan(ALARM);
    }
    const reported = all.flatMap(({ found, sampled }) =>
      [...sampled].flatMap((truth, v) =>
        found.isFound[v] === 1 ? [(found.low[v] as number) <= truth && truth <= (found.high[v] as number)] : [],
      ),
    );
    const missed = reported.filter((covers) => !covers).length;
    expect(reported.length).toBeGreaterThan(80 * EFFORT);
    expect(1 - atMost(missed - 1, reported.length, 0.05)).toBeGreaterThan(ALARM);
  });

  test('where every candidate is null, one set in twenty reports any', () => {
    const all = sets({ ...SETTING, strings: 40, nulls: 100, unlisted: 'the top two' }, 12 * EFFORT).map((set) => {
      // The listed strings are taken off the list.
      const row = SETTING.cohorts;
      return decode(inputOf({ ...set, map: { candidates: 100, hashes: 1, places: set.map.places.slice(set.listed * row) } }));
    });
    const any = all.filter(({ isFound }) => isFound.includes(1)).length;
    expect(1 - atMost(any - 1, all.length, 0.05)).toBeGreaterThan(ALARM);
  });

  test('false discoveries stay at the rate that was asked for', () => {
    const all = sets({ ...SETTING, strings: 60, nulls: 400, hashes: 2, shape: 'exponential', reports: 500_000 }, 12 * EFFORT);
    const wrong = all.reduce((sum, { found, listed }) => sum + found.isFound.subarray(listed).reduce((a, b) => a + b, 0), 0);
    const reported = all.reduce((sum, { found }) => sum + found.isFound.reduce((a, b) => a + b, 0), 0);
    expect(reported).toBeGreaterThan(200 * EFFORT);
    expect(1 - atMost(wrong - 1, reported, 0.05)).toBeGreaterThan(ALARM);
  });

  test('a list too crowded for its cells is flagged, and its strings are found at that rate', () => {
    const crowded = { ...SETTING, cells: 16, cohorts: 64, ...chancesOf(0.25, 0.75, 0.25), reports: 4_500_000, strings: 238, nulls: 6_900 };
    const all = sets({ ...crowded, shape: 'bell' }, 2 * EFFORT);
    const wrong = all.reduce((sum, { found, listed }) => sum + found.isFound.subarray(listed).reduce((a, b) => a + b, 0), 0);
    const reported = all.reduce((sum, { found }) => sum + found.isFound.reduce((a, b) => a + b, 0), 0);
    expect(new Set(all.map(({ found }) => found.outcome))).toEqual(new Set(['overloaded']));
    expect(reported).toBeGreaterThan(100 * EFFORT);
    expect(1 - atMost(wrong - 1, reported, 0.05)).toBeGreaterThan(ALARM);
  });
});
