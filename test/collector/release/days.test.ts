/** Reports by day: what is stated before and after, sums over ranges from one answer, and CSV. */

import { seededRng, words } from '@murmuration/client/testing';
import { type Measure, rangeSum } from '@murmuration/collector';
import { dayText, parseDay } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { answerCsv, assertTabular } from '#collector/release/answer.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { type Measured, measureAll, prepare } from '#collector/release/query/making.ts';
import { parseQuestion } from '#collector/release/query/question.ts';
import { resolve } from '#collector/release/query/resolve.ts';
import { tableOf } from '#collector/release/table/columns.ts';
import type { ReportCount } from '#collector/release/table/participation.ts';
import { catalog, wires } from './table.ts';

const table = tableOf(catalog, 'notes');
const FROM = parseDay('2026-01-01') as number;
const asked = (to: string, measures: readonly Measure[] = [{ kind: 'days', epsilon: '1' }]) =>
  resolve(table, parseQuestion({ app: 'notes', from: '2026-01-01', to, where: { metric: ['plan'] }, measures }), 8);
const countOf = (day: number): number => 50 + (day % 7) * 10;
const rowsOf = (days: number): readonly ReportCount[] =>
  Array.from({ length: days }, (_, i) => ({
    schema: wires[1],
    metric: 'plan',
    day: FROM + i,
    segment: { platform: 'web', cores: '4' },
    reports: countOf(i),
  }));

describe('days', () => {
  test('of a week are a histogram, and of a year a tree; the error is stated before', () => {
    const [week] = prepare(asked('2026-01-07'));
    expect(week?.error).toMatchObject({ mechanism: 'noisy histogram of days', sensitivity: 1, within: 3 });
    const [year] = prepare(asked('2026-12-31'));
    expect(year?.error.mechanism).toBe('consistent tree of days');
    // The figures of docs/release-mechanisms.md: 9.7 in the mean with a tree, 15.0 with a histogram.
    expect(year?.error.ranges?.mean).toBeCloseTo(9.7, 1);
    expect(year?.error.ranges?.worst).toBeGreaterThan(year?.error.ranges?.mean ?? 0);
  });

  test('give the sum over any range with a standard error that is right', () => {
    const of = asked('2026-04-30');
    const [prepared] = prepare(of);
    const rows = rowsOf(120);
    const random = createRandom(words(seededRng(11)));
    const spans = [
      ['2026-01-01', '2026-04-30'],
      ['2026-02-03', '2026-02-03'],
      ['2026-01-09', '2026-03-31'],
    ] as const;
    const errors = spans.map(() => 0);
    const RUNS = 1500;
    for (let run = 0; run < RUNS; run++) {
      const [measured] = measureAll(of, [prepared as NonNullable<typeof prepared>], rows, random);
      spans.forEach(([from, to], i) => {
        const { estimate, standardError } = rangeSum(measured as Measured, from, to);
        const [first, last] = [(parseDay(from) as number) - FROM, (parseDay(to) as number) - FROM];
        const truth = Array.from({ length: last - first + 1 }, (_, day) => countOf(first + day)).reduce((sum, count) => sum + count, 0);
        errors[i] = (errors[i] as number) + ((estimate - truth) / standardError) ** 2;
      });
    }
    // The square of a standardized two-sided geometric noise of rate 1/2 has a variance of 5.2, and that of a sum of several has less. So
    // six standard deviations of the mean of 1,500 are below 0.36. The seed is fixed.
    for (const sum of errors) expect(Math.abs(sum / RUNS - 1)).toBeLessThan(0.36);
  });

  test('refuse a range that the answer has not, and an answer to another question', () => {
    const of = asked('2026-01-05');
    const random = createRandom(words(seededRng(1)));
    const [measured] = measureAll(of, prepare(of), rowsOf(5), random) as [Measured];
    expect(() => rangeSum(measured, '2026-01-03', '2026-01-06')).toThrow(
      'a range: expected days from 2026-01-01 to 2026-01-05, the first one first, got 2026-01-03 to 2026-01-06',
    );
    expect(() => rangeSum(measured, '2026-01-03', '2026-01-02')).toThrow('got 2026-01-03 to 2026-01-02');
    expect(() => rangeSum(measured, 'x', '2026-01-02')).toThrow('got x to 2026-01-02');
    const counted = asked('2026-01-05', [{ kind: 'count', epsilon: '1' }]);
    const [count] = measureAll(counted, prepare(counted), rowsOf(5), random) as [Measured];
    expect(() => rangeSum(count, '2026-01-01', '2026-01-02')).toThrow('expected an answer to days');
  });
});

describe('CSV', () => {
  const answerTo = (measures: readonly Measure[]): string => {
    const of = asked('2026-01-02', measures);
    return answerCsv({ question: of.question, results: measureAll(of, prepare(of), rowsOf(2), createRandom(words(seededRng(1)))) });
  };

  test('has a row for each day with its standard error, or for each cell', () => {
    const lines = answerTo([{ kind: 'days', epsilon: '1' }]).split('\r\n');
    expect(lines[0]).toBe('day,value,standardError');
    expect(lines.slice(1, 3).map((line) => line.split(',')[0])).toEqual([dayText(FROM), dayText(FROM + 1)]);
    expect(answerTo([{ kind: 'count', epsilon: '1', groupBy: ['platform'] }])).toMatch(
      /^platform,value\r\nandroid,-?\d+\r\nios,-?\d+\r\nweb,\d+\r\n$/,
    );
    expect(answerTo([{ kind: 'count', epsilon: '1' }])).toMatch(/^value\r\n\d+\r\n$/);
  });

  test('of a synthetic table has the columns and a weight', () => {
    const text = answerTo([{ kind: 'synthetic', epsilon: '0.01', columns: ['platform', 'cores', 'version', 'day'], about: 5 }]);
    const rows = text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(rows[0]).toEqual(['cores', 'day', 'platform', 'version', 'weight']);
    expect(rows).toHaveLength(1 + 5 * 2 * 3 * 2);
    for (const row of rows.slice(1)) expect(Number(row[4])).toBeGreaterThanOrEqual(0);
  });

  test('is refused for several measurements and for one value', () => {
    const question = (measures: readonly Measure[]) => asked('2026-01-02', measures).question;
    expect(() => assertTabular(question([{ kind: 'mostUsed', epsilon: '1', column: 'platform' }]))).toThrow(
      /^CSV: expected count, sum, days, .* or \w+, got mostUsed, whose/,
    );
    const two = question([
      { kind: 'count', epsilon: '1' },
      { kind: 'days', epsilon: '1' },
    ]);
    expect(() => assertTabular(two)).toThrow('CSV: expected one measurement, got 2');
  });
});
