/** Counts as bytes: exact whatever they are, never longer than a vector of doubles, and read only as what they were written as. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addCells, cellsIn, encodeCells } from '#collector/storage/tallying/cell-codec.ts';

const LARGEST = 2 ** 53 - 1;

/** Counts of every size, in vectors from empty to full. */
const counts = fc
  .record({
    cells: fc.integer({ min: 1, max: 700 }),
    most: fc.constantFrom(1, 2, 3, 15, 16, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, LARGEST),
    filled: fc.constantFrom(0, 0.01, 0.1, 0.5, 1),
  })
  .chain(({ cells, most, filled }) => {
    const count = fc.integer({ min: 1, max: most });
    const zeros = Math.round(1_000 * (1 - filled));
    return fc.array(fc.oneof({ weight: 1_000 - zeros, arbitrary: count }, { weight: zeros, arbitrary: fc.constant(0) }), {
      minLength: cells,
      maxLength: cells,
    });
  })
  .map((cells) => Float64Array.from(cells));

const decode = (encoded: Uint8Array): Float64Array => {
  const sums = new Float64Array(cellsIn(encoded));
  addCells(encoded, sums);
  return sums;
};

test('any counts come back as they were, in no more bytes than doubles take, and any cut or longer bytes are refused', () => {
  fc.assert(
    fc.property(counts, (cells) => {
      const encoded = encodeCells(cells);
      expect(decode(encoded)).toEqual(cells);
      expect(encoded.length).toBeLessThanOrEqual(3 + 8 * cells.length);
      const isVector = encoded[0] !== 0;
      if (isVector) expect(() => decode(encoded.subarray(0, -1))).toThrow(/^expected \d+ bytes/);
      if (isVector) expect(() => decode(Uint8Array.of(...encoded, 0))).toThrow(/^expected \d+ bytes/);
    }),
    { numRuns: 2_000, seed: 14 },
  );
});

test('decoding adds to sums, also from a part of a larger buffer', () => {
  fc.assert(
    fc.property(counts, fc.nat(7), (cells, before) => {
      const encoded = encodeCells(cells);
      const buffer = new Uint8Array(before + encoded.length + 5).fill(77);
      buffer.set(encoded, before);
      const sums = new Float64Array(cells.length).fill(2);
      addCells(buffer.subarray(before, before + encoded.length), sums);
      expect(sums).toEqual(cells.map((count) => count + 2));
    }),
    { numRuns: 300, seed: 15 },
  );
});

test('a report of one symbol among 4,096 takes a few bytes; the list gives way where the vector is as short, and counts decide the width', () => {
  expect(encodeCells(new Float64Array(4_096).with(4_000, 1)).length).toBe(5);
  const sizes = Array.from({ length: 129 }, (_, reports) => encodeCells(new Float64Array(128).fill(1, 0, reports)));
  expect(sizes.map((encoded) => encoded[0])).toEqual(Array.from({ length: 129 }, (_, reports) => (reports < 16 ? 0 : 1)));
  expect(sizes.map((encoded) => encoded.length)).toEqual(Array.from({ length: 129 }, (_, reports) => 3 + Math.min(16, reports)));
  const widths = [1, 3, 15, 255, 65_535, 2 ** 32 - 1, LARGEST].map((most) => encodeCells(new Float64Array(64).fill(most)));
  expect(widths.map((encoded) => encoded[0])).toEqual([1, 2, 4, 8, 16, 32, 64]);
  expect(widths.map((encoded) => encoded.length)).toEqual([1, 2, 4, 8, 16, 32, 64].map((bits) => 2 + 8 * bits));
});

test.each([
  ['counts that are none', () => encodeCells(Float64Array.of(1, -1)), 'expected counts from 0 to 2^53 - 1, got -1'],
  ['parts of counts', () => encodeCells(Float64Array.of(0.5)), 'got 0.5'],
  ['NaN', () => encodeCells(Float64Array.of(Number.NaN)), 'got NaN'],
  ['counts that no double holds', () => encodeCells(Float64Array.of(2 ** 53)), 'got 9007199254740992'],
  ['other cells', () => addCells(encodeCells(new Float64Array(8)), new Float64Array(9)), 'expected 9 cells, got 8'],
  ['nothing', () => cellsIn(new Uint8Array(0)), 'expected a number that ends, got 0 bytes'],
  ['a number without an end', () => cellsIn(new Uint8Array(20).fill(255)), 'expected a number that ends, got 8 bytes'],
  ['a cell beyond the last', () => addCells(Uint8Array.of(0, 8, 16), new Float64Array(8)), 'expected a cell below 8, got 8'],
  ['a width of its own', () => addCells(Uint8Array.of(3, 8, 0, 0, 0), new Float64Array(8)), 'bits a cell, got 5 with 3'],
])('%s are refused', (_, act, message) => expect(act).toThrow(message));
