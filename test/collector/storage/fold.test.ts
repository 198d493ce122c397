/** The folder against the codec: whatever it is given, it adds up what `decode` says each report supports, and nothing else. */

import {
  fromBase64url,
  type Law,
  mechanismOf,
  mechanisms,
  packingOf,
  type Report,
  readBase64url,
  type TallyShape,
  toBase64url,
} from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Accumulator, VerticalCounter } from '#collector/storage/tallying/accumulator.ts';
import { matrixSpecimens, numberSpecimens, prefixSpecimens, specimens } from '../../conformance/specimens.ts';
import { EFFORT } from '../../setup/effort.ts';

/** A report in canonical form, drawn over all that there are. */
function reports({ cohorts, cells, form, ones, limits }: TallyShape): fc.Arbitrary<Uint8Array> {
  const digits = (value: number, size: number): number[] => {
    const count = Math.ceil(Math.log2(size) / 8);
    return Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** (count - 1 - i)) % 256);
  };
  const bits = (limit: { readonly cells: number; readonly ones?: number | undefined }): fc.Arbitrary<number[]> =>
    (limit.ones === undefined
      ? fc.uniqueArray(fc.nat(limit.cells - 1), { maxLength: limit.cells })
      : fc.uniqueArray(fc.nat(limit.cells - 1), { minLength: limit.ones, maxLength: limit.ones })
    ).map((ones) => {
      const bytes = new Array<number>(Math.ceil(cells / 8)).fill(0);
      for (const bit of ones) bytes[bit >> 3] = (bytes[bit >> 3] as number) | (1 << (bit & 7));
      return bytes;
    });
  const body = (cohort: number): fc.Arbitrary<number[]> =>
    form === 'symbol' ? fc.nat(cells - 1).map((symbol) => digits(symbol, cells)) : bits(limits?.[cohort] ?? { cells, ones });
  return fc.nat(cohorts - 1).chain((number) => body(number).map((bytes) => Uint8Array.of(...digits(number, cohorts), ...bytes)));
}

/** The sum of what reports support, cell by cell. */
function added(decoded: readonly Report[], { cells: size }: TallyShape): Map<number, { reports: number; cells: number[] }> {
  const sums = new Map<number, { reports: number; cells: number[] }>();
  for (const { cohort, cells } of decoded) {
    const sum = sums.get(cohort) ?? { reports: 0, cells: new Array<number>(size).fill(0) };
    sum.reports++;
    for (const cell of cells) sum.cells[cell] = (sum.cells[cell] as number) + 1;
    sums.set(cohort, sum);
  }
  return sums;
}

/** The tallies of reports as they come over the wire. */
function foldPayloads(shape: TallyShape, payloads: readonly string[]): ReturnType<Accumulator['tallies']> {
  const folder = new Accumulator(shape);
  folder.addPayloads(payloads);
  return folder.tallies();
}

/** The tallies of reports as randomizers give them. */
function foldReports(shape: TallyShape, reports: readonly Uint8Array[]): ReturnType<Accumulator['tallies']> {
  const folder = new Accumulator(shape);
  for (const report of reports) folder.addReport(report);
  return folder.tallies();
}

/** Laws of every mechanism, of lengths around bytes and words. */
const all: readonly Law[] = Object.values({ ...specimens, ...prefixSpecimens, ...numberSpecimens, ...matrixSpecimens }).flatMap(
  ({ lengths }) => [...lengths],
);

test('laws stand here for every mechanism of the table', () => {
  expect(new Set(all.map(({ mechanism }) => mechanism))).toEqual(new Set(Object.keys(mechanisms)));
});

describe.each(all)('$mechanism %#', (law) => {
  const { decode, shape: shapeOf, reportBytes } = mechanismOf(law);
  const shape = shapeOf(law);

  test('fold(reports) is the sum of decode(report).cells, cohort by cohort', () => {
    const most = shape.cells > 10_000 ? 4 : shape.cells > 1_000 ? 20 : 100;
    fc.assert(
      fc.property(fc.array(reports(shape), { maxLength: most }), (drawn) => {
        const expected = added(
          drawn.map((report) => decode(law, report)),
          shape,
        );
        for (const tallies of [foldPayloads(shape, drawn.map(toBase64url)), foldReports(shape, drawn)]) {
          expect([...tallies.keys()]).toEqual([...expected.keys()]);
          for (const [cohort, { reports, cells }] of tallies) expect({ reports, cells: [...cells] }).toEqual(expected.get(cohort));
        }
      }),
      { numRuns: (shape.cells > 1_000 ? 4 : 15) * EFFORT, seed: 3 },
    );
  });

  test('what decode refuses the folder refuses, and what it takes it takes', () => {
    const { bytes: length, words: size, pack } = packingOf(shape);
    expect(reportBytes(law)).toBe(length);
    const words = new Int32Array(size).fill(-1);
    const bytes = new Uint8Array(words.buffer);
    const refuses = (act: () => unknown): boolean => {
      try {
        act();
        return false;
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        return true;
      }
    };
    const near = fc.oneof(
      reports(shape),
      fc.uint8Array({ minLength: 0, maxLength: length + 2 }),
      fc.tuple(reports(shape), fc.nat(), fc.nat(255)).map(([report, at, value]) => report.with(at % report.length, value)),
    );
    fc.assert(
      fc.property(near, (report) => {
        const text = toBase64url(report);
        expect(refuses(() => pack(text, words, bytes, 0))).toBe(refuses(() => decode(law, report)));
      }),
      { numRuns: 80 * EFFORT, seed: 4 },
    );
  });

  test('two folders together hold what one does, and reports by their number of ones are all reports', () => {
    const packing = packingOf(shape);
    fc.assert(
      fc.property(fc.array(reports(shape), { maxLength: shape.cells > 10_000 ? 8 : 20 }), (drawn) => {
        const folder = new Accumulator(shape);
        const words = new Int32Array(packing.words * drawn.length);
        const bytes = new Uint8Array(words.buffer);
        drawn.forEach((report, i) => {
          packing.packBytes(report, words, bytes, i * packing.words);
          folder.add(words, i * packing.words);
          if (i % 7 === 0) folder.tallies(); // reading in between changes nothing
        });
        const tallies = folder.tallies();
        const expected = foldPayloads(shape, drawn.map(toBase64url));
        expect(tallies.size).toBe(expected.size);
        for (const [cohort, { cells }] of tallies) expect([...cells]).toEqual([...(expected.get(cohort)?.cells ?? [])]);
        const ones = [...folder.ones()];
        if (shape.form === 'symbol' || shape.ones !== undefined) {
          expect(ones).toEqual([]);
          return;
        }
        expect(ones.reduce((sum, [, count]) => sum + count, 0)).toBe(drawn.length);
        const total = [...tallies.values()].reduce((sum, { cells }) => sum + cells.reduce((a, b) => a + b, 0), 0);
        expect(ones.reduce((sum, [weight, count]) => sum + weight * count, 0)).toBe(total);
      }),
      { numRuns: 8 * EFFORT, seed: 5 },
    );
  });
});

test('vertical counters count to more than any of their planes, and past the most that they hold', () => {
  const counts = new Float64Array(70);
  const counter = new VerticalCounter(counts);
  const vector = Int32Array.of(-1, 0x40000001, 0x21);
  const rounds = 70_001;
  for (let i = 0; i < rounds; i++) counter.add(vector, 0);
  counter.flush();
  counter.flush();
  const expected = Array.from({ length: 70 }, (_, bit) => (bit < 32 || [32, 62, 64, 69].includes(bit) ? rounds : 0));
  expect([...counts]).toEqual(expected);
});

test('the fast reader of base64url takes the texts that the short one takes, as the same bytes', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const character = fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...alphabet) },
    { weight: 1, arbitrary: fc.constantFrom(...'+/=\n ЖＡ\0') },
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 24 }), (characters) => {
      const text = characters.join('');
      const into = new Uint8Array(20).fill(7);
      const count = readBase64url(text, into, 1, 19);
      let short: Uint8Array | undefined;
      try {
        short = fromBase64url(text);
      } catch {}
      expect(count).toBe(short?.length ?? -1);
      if (short) expect([...into.subarray(1, 1 + count)]).toEqual([...short]);
      if (count > 0) expect(readBase64url(text, into, 0, count - 1)).toBe(-1);
    }),
    { numRuns: 5_000 * EFFORT, seed: 6 },
  );
});
