/** Whatever counts are possible, all numbers that a decode writes are numbers. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distributionLines, resultLines } from '#collector/cli/rappor-files/results.ts';
import { decode } from '#collector/decoding/decode/decode.ts';

/** Any counts and map that the readers accept. */
const input = fc
  .record({
    cohorts: fc.integer({ min: 1, max: 4 }),
    cells: fc.integer({ min: 1, max: 6 }),
    hashes: fc.integer({ min: 1, max: 2 }),
    candidates: fc.integer({ min: 1, max: 12 }),
  })
  .chain(({ cohorts, cells, hashes, candidates }) =>
    fc.record({
      cohorts: fc.constant(cohorts),
      cells: fc.constant(cells),
      hashes: fc.constant(hashes),
      candidates: fc.constant(candidates),
      chances: fc.constantFrom([0, 1], [0.25, 0.75], [0.5, 0.5001], [0, 0.5], [0.5, 1], [0.001, 0.002]),
      rows: fc.array(
        fc
          .constantFrom(0, 1, 7, 1_000, 1e9)
          .chain((n) =>
            fc.tuple(fc.constant(n), fc.array(fc.oneof(fc.constant(0), fc.constant(n), fc.nat(n)), { minLength: cells, maxLength: cells })),
          ),
        { minLength: cohorts, maxLength: cohorts },
      ),
      places: fc.array(fc.nat(cells - 1), { minLength: candidates * cohorts * hashes, maxLength: candidates * cohorts * hashes }),
      fdr: fc.constantFrom(0.001, 0.05, 0.5),
    }),
  );

test('estimates, errors, intervals, p-values and frequencies are finite, and shares and probabilities lie in [0, 1]', () => {
  fc.assert(
    fc.property(input, ({ cohorts, cells, hashes, candidates, chances: [outside = 0, inside = 1], rows, places, fdr }) => {
      const unique = places.map((cell, i) => (places.slice(i - (i % hashes), i).includes(cell) ? cells : cell));
      const counts = {
        cohorts,
        cells,
        reports: Float64Array.from(rows, ([n]) => n),
        counts: Float64Array.from(rows.flatMap(([, own]) => own)),
        inside,
        outside,
      };
      const names = Array.from({ length: candidates }, (_, v) => `v${v}`);
      const decoded = decode({ counts, map: { candidates, hashes, places: Uint16Array.from(unique) }, fdr });
      const total = rows.reduce((sum, [n]) => sum + n, 0);
      const [, ...results] = [...resultLines(names, total, decoded, true)];
      expect(results.length).toBe(candidates);
      for (const line of results) {
        const numbers = line.split(',').slice(1, -1).map(Number);
        expect(numbers.every(Number.isFinite), line).toBe(true);
        const [, error, , , low, high, p, q] = numbers;
        expect(error, line).toBeGreaterThanOrEqual(0);
        for (const share of [low, high, p, q]) {
          expect(share, line).toBeGreaterThanOrEqual(0);
          expect(share, line).toBeLessThanOrEqual(1);
        }
        expect(low, line).toBeLessThanOrEqual(high as number);
      }
      const frequencies = [...distributionLines(names, decoded)].slice(1).map((line) => Number(line.split(',')[1]));
      expect(
        frequencies.every((share) => share >= 0 && share <= 1),
        `${frequencies}`,
      ).toBe(true);
      expect(frequencies.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-6);
      for (const number of [decoded.unexplained, decoded.unexplainedError, decoded.detectable, decoded.other])
        expect(number).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 300, seed: 15 },
  );
});
