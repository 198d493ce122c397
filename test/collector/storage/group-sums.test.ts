/** The sums that a flush appends are those that an accumulator has of the same reports. */

import { type Packing, packingOf, type TallyShape } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { GroupBuilder } from '#collector/storage/group-commit.ts';
import { readBatches } from '#collector/storage/postgres/batch-ids.ts';
import { deltaRows, readDelta } from '#collector/storage/postgres/fold.ts';
import { sumBatches } from '#collector/storage/postgres/group-sums.ts';
import { RecentWrites } from '#collector/storage/tallying/recent-writes.ts';
import { TallySums } from '#collector/storage/tallying/sums.ts';

const SHAPES: readonly TallyShape[] = [
  { cohorts: 1, cells: 3, form: 'symbol' },
  { cohorts: 300, cells: 40, form: 'symbol' },
  { cohorts: 1, cells: 70, form: 'bits' },
  { cohorts: 5, cells: 128, form: 'bits' },
  { cohorts: 1, cells: 6, form: 'bits', ones: 2 },
];
const metrics = SHAPES.map((shape, i) => ({ name: `metric${i}`, shape }));
const shapes = new Map([
  ['a/1/x', metrics],
  ['b/1/x', metrics.slice(0, 3)],
]);

let state = 1;
const random = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return (state >>> 8) % below;
};

/** A packed report of a shape. */
function report({ cohorts, cells, form, ones }: TallyShape, packing: Packing): readonly number[] {
  const words = new Array<number>(packing.words).fill(0);
  words[0] = random(cohorts);
  if (form === 'symbol') words[1] = random(cells);
  else if (ones !== undefined) words[1] = 0b11 << random(cells - 1);
  else
    for (let cell = 0; cell < cells; cell++)
      if (random(2) === 1) words[1 + (cell >> 5)] = (words[1 + (cell >> 5)] as number) | (1 << (cell & 31));
  return words;
}

test.each([1, 3, 200])('sums of %i batches are those of an accumulator', (count) => {
  const builder = new GroupBuilder();
  const days = [7, 8];
  for (let i = 0; i < count; i++) {
    const [schema, own] = [...shapes][random(2)] as [string, typeof metrics];
    const reports = Array.from({ length: random(12) }, () => {
      const number = random(own.length);
      const { shape } = own[number] as (typeof metrics)[number];
      return [number, ...report(shape, packingOf(shape))];
    });
    const digits = i.toString(16).padStart(32, '0');
    builder.add({
      schema,
      day: days[random(2)] as number,
      segment: random(2) === 0 ? '{}' : '{"a":"b"}',
      id: digits,
      hash: digits,
      reports: Int32Array.from(reports.flat()),
      count: reports.length,
    });
  }
  const group = builder.take();
  const { all } = readBatches(group);
  const some = all.filter(({ number }) => number % 7 !== 3);
  const expected = new RecentWrites(shapes);
  expected.add(
    group,
    some.map(({ start }) => start),
  );
  const found = new Map<string, unknown>();
  for (const row of deltaRows(sumBatches(group, some, shapes), [], () => undefined)) {
    for (const { partition, metric, reports, rows, tallies, ones } of readDelta(row).additions) {
      const sums = new TallySums();
      sums.add(tallies);
      expect(sums.reports).toBe(reports);
      expect(sums.tallies.size).toBe(rows);
      found.set(`${partition} ${metric}`, { ones, tallies: sums.tallies });
    }
  }
  const wanted = expected.deltas().map(({ partition, metric, folder }) => {
    const tallies = [...folder.tallies()].map(([cohort, { reports, cells }]) => [cohort, { reports, cells }] as const);
    return [`${partition} ${metric}`, { ones: folder.ones(), tallies: new Map(tallies) }] as const;
  });
  expect(found).toEqual(new Map(wanted));
});
