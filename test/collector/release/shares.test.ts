/** Shares and associations: what is stated before and after holds, whatever the reports are. */

import { seededRng, words } from '@murmuration/client/testing';
import type { Measure } from '@murmuration/collector';
import { parseDay, ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { cramersV, unrelatedV } from '#collector/estimation/statistics/cramers-v.ts';
import { answerCsv } from '#collector/release/answer.ts';
import { associationBy } from '#collector/release/measures/association.ts';
import type { ExpectedError } from '#collector/release/measures/measure.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { type Measured, measureAll, prepare } from '#collector/release/query/making.ts';
import { parseQuestion } from '#collector/release/query/question.ts';
import { resolve } from '#collector/release/query/resolve.ts';
import { tableOf } from '#collector/release/table/columns.ts';
import type { ReportCount } from '#collector/release/table/participation.ts';
import { atMost } from '../../proofs/statistics.ts';
import { catalog, wires } from './table.ts';

const FALSE_ALARM = 1e-6;
const table = tableOf(catalog, 'notes');
const FROM = parseDay('2026-01-01') as number;
const asked = (measure: Measure) =>
  resolve(
    table,
    parseQuestion({ app: 'notes', from: '2026-01-01', to: '2026-01-02', where: { metric: ['plan'] }, measures: [measure] }),
    8,
  );
const rowOf = (platform: string, cores: string, reports: number, day = 0): ReportCount => ({
  schema: wires[1],
  metric: 'plan',
  day: FROM + day,
  segment: { platform, cores },
  reports,
});
const random = createRandom(words(seededRng(17)));
const answerTo = (measure: Measure, rows: readonly ReportCount[]): Measured => {
  const of = asked(measure);
  return measureAll(of, prepare(of), rows, random)[0] as Measured;
};
const errorOf = (measure: Measure): ExpectedError => prepare(asked(measure)).map(({ error }) => error)[0] as ExpectedError;

describe('a share', () => {
  const share = { kind: 'share', epsilon: '0.5', column: 'platform', values: ['web'], about: 100 } as const;

  test('is within what is stated, before and after, in at least 95 % of answers', () => {
    const rows = [rowOf('web', '1', 30), rowOf('ios', '2', 50), rowOf('android', '2', 20)];
    const { within } = errorOf(share);
    const RUNS = 2000;
    let [before, after] = [0, 0];
    for (let run = 0; run < RUNS; run++) {
      const [{ value, low, high }] = answerTo(share, rows).cells as unknown as [{ value: number; low: number; high: number }];
      before += Number(Math.abs(value - 0.3) <= within);
      after += Number(low <= 0.3 && 0.3 <= high);
    }
    for (const held of [before, after]) expect(atMost(held, RUNS, 0.95)).toBeGreaterThan(FALSE_ALARM);
    expect(within).toBeLessThan(0.12);
  });

  test('is told for each group, costs its ε once, and says that it knows nothing of an empty group', () => {
    const grouped = { ...share, epsilon: '9', groupBy: ['cores'] };
    const of = asked(grouped);
    expect(of.cost.epsilon).toEqual({ numerator: 9n, denominator: 1n });
    const { cells = [] } = answerTo(grouped, [rowOf('web', '1', 900), rowOf('ios', '1', 100), rowOf('ios', '2', 500)]);
    expect(cells.map(({ values, value }) => [values['cores'], Math.round(value * 20) / 20])).toEqual([
      ['', expect.any(Number)],
      ['1', 0.9],
      ['2', 0],
      ['4', expect.any(Number)],
      ['8', expect.any(Number)],
    ]);
    expect([cells[3]?.low, cells[3]?.high]).toEqual([0, 1]);
    const csv = answerCsv({ question: of.question, results: [answerTo(grouped, [])] });
    expect(csv.split('\r\n')[0]).toBe('cores,value,low,high');
    expect(csv.trimEnd().split('\r\n')).toHaveLength(6);
  });

  test('has the same key whatever number of reports is expected, and another for another value', () => {
    expect(asked({ ...share, about: 7 }).key).toBe(asked(share).key);
    expect(asked({ ...share, values: ['ios'] }).key).not.toBe(asked(share).key);
    expect(errorOf({ ...share, about: 3 }).within).toBe(1);
  });
});

describe('an association', () => {
  const association = { kind: 'association', epsilon: '1', columns: ['platform', 'cores'], about: 100_000 } as const;
  const platforms = ['android', 'ios', 'web'];
  const cores = ['1', '2', '4', '8'];
  const { within } = errorOf(association);

  test('is Cramér’s V with the bias of few records removed', () => {
    const dense = (counts: readonly number[]) => ({
      cells: counts.flatMap((c, i) => (c > 0 ? [i] : [])),
      counts: counts.filter((c) => c > 0),
    });
    expect(cramersV(dense([50, 0, 0, 50]), 2)).toBeCloseTo(1, 12);
    expect(cramersV(dense([25, 25, 25, 25]), 2)).toBe(0);
    // φ² = 0.36, less 1/99; 2 values each, less 1/99.
    expect(cramersV(dense([40, 10, 10, 40]), 2)).toBeCloseTo(Math.sqrt((0.36 - 1 / 99) / (1 - 1 / 99)), 12);
    for (const none of [[], [9, 0, 0, 0], [9, 4, 0, 0], [1, 0, 0, 1]]) expect(cramersV(dense(none), 2)).toBe(0);
  });

  test('of unrelated columns is small in the mean, as small as stated', () => {
    for (const [rows, columns, records] of [
      [2, 2, 40],
      [3, 4, 100],
      [5, 12, 150],
    ] as const) {
      const RUNS = 3000;
      let sum = 0;
      for (let run = 0; run < RUNS; run++) {
        const counts = Array.from({ length: rows * columns }, () => 0);
        for (let i = 0; i < records; i++) {
          const cell = random.uniform(rows * columns);
          counts[cell] = (counts[cell] as number) + 1;
        }
        sum += cramersV({ cells: counts.map((_, i) => i), counts }, columns);
      }
      // V is at most 1 and its standard deviation below 0.15, so the mean is within 0.014 except for one in 10^6.
      expect(sum / RUNS).toBeLessThan(unrelatedV(records, rows, columns) + 0.014);
      expect(sum / RUNS).toBeGreaterThan(unrelatedV(records, rows, columns) / 3);
    }
  });

  test('is found where columns go together, and not where they do not', () => {
    const error = errorOf(association);
    expect(error).toMatchObject({ mechanism: 'sample and aggregate', sensitivity: 1, blocks: { count: 64, reports: 1562 } });
    expect(error.within).toBeLessThanOrEqual(0.05);
    const found = (weigh: (p: number, c: number) => number): number =>
      answerTo(
        association,
        platforms.flatMap((p, i) => cores.map((c, j) => rowOf(p, c, weigh(i, j)))),
      ).cells?.[0]?.value as number;
    // Each is off by noise beyond 0.35 with a probability of e^-22.
    const off = 0.35;
    expect(found(() => 8000)).toBeLessThan(off + 0.05);
    expect(found((p, c) => (p === c % 3 ? 24_000 : 0))).toBeGreaterThan(0.9 - off);
  });

  test('is within what is stated of the mean over the blocks', () => {
    // Columns that determine each other have V = 1 in every block that has both, so the mean is 1 except for blocks of one value.
    const rows = [rowOf('web', '1', 40_000), rowOf('ios', '2', 40_000), rowOf('android', '4', 20_000)];
    const { mechanism, blocks } = associationBy({ epsilon: ratio(1n, 1n), sensitivity: 1, columns: 2 });
    expect([blocks, mechanism.accuracy(0.05)]).toEqual([64, within]);
    const RUNS = 400;
    let beyond = 0;
    for (let run = 0; run < RUNS; run++) beyond += Number(Math.abs(mechanism.release([4000, 0, 0, 4000], random) - 1) > within + 1e-9);
    expect(atMost(RUNS - beyond, RUNS, 0.95)).toBeGreaterThan(FALSE_ALARM);
    expect(answerTo(association, rows).cells?.[0]?.value).toBeLessThanOrEqual(1);
  });

  test('is refused with too few reports for its blocks, and says how many it takes', () => {
    expect(() => prepare(asked({ ...association, about: 1000 }))).toThrow(
      'association: expected at least 1600 reports, 25 for each of 64 blocks; a larger ε takes fewer blocks, and count with group-by cores, platform takes none, got 1000',
    );
    expect(() => prepare(asked({ ...association, columns: ['platform', 'metric'] }))).toThrow(
      'association: expected columns of two values or more, got metric, of which the question leaves 1',
    );
    expect(() => prepare(asked({ ...association, epsilon: '0.01' }))).toThrow('for each of 8192 blocks');
    expect(() => prepare(asked({ ...association, epsilon: '0.0001', about: 2 ** 32 }))).not.toThrow();
  });
});
