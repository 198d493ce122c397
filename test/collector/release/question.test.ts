/** Questions: what is refused, what is the same, what it costs; and that the stated ε really bounds what one device-day can change. */

import { readFileSync } from 'node:fs';
import { participation } from '@murmuration/collector';
import { dayText, parseDay, type Ratio, ratio } from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountText, parseAmount, ZERO } from '#collector/release/budget/amount.ts';
import { KINDS, kindOf, type Measure } from '#collector/release/measures/table.ts';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { toDouble } from '#collector/release/mechanisms/mechanism.ts';
import { type Random, systemRandom } from '#collector/release/mechanisms/random.ts';
import { measureAll, prepare } from '#collector/release/query/making.ts';
import { parseQuestion, type Question } from '#collector/release/query/question.ts';
import { resolve } from '#collector/release/query/resolve.ts';
import { tableOf } from '#collector/release/table/columns.ts';
import type { ReportCount } from '#collector/release/table/participation.ts';
import { catalog, second, wires } from './table.ts';

const table = tableOf(catalog, 'notes');
const count: Measure = { kind: 'count', epsilon: '0.1' };
const base = { app: 'notes', from: '2026-11-01', to: '2026-11-03' };
const synthetic = (more: object) => ({ kind: 'synthetic', epsilon: '1', columns: ['platform', 'cores'], about: 100, ...more });
const share = (more: object) => ({ kind: 'share', epsilon: '1', column: 'platform', values: ['web'], about: 100, ...more });
/** As JSON, which leaves out what is undefined. */
const asked = (more: { readonly [key: string]: unknown } = { measures: [count] }): Question =>
  parseQuestion(JSON.parse(JSON.stringify({ ...base, ...more })));
const resolved = (question: Question, batchesPerDay = 8): ReturnType<typeof resolve> => resolve(table, question, batchesPerDay);

describe('a question', () => {
  test.each<[Record<string, unknown>, string]>([
    [{ where: { colour: ['red'] } }, 'where.colour: expected one of the columns metric, version, cores, platform, got "colour"'],
    [{ where: { platform: ['beos'] } }, 'where.platform: expected some of android, ios, web, got "beos"'],
    [{ where: { platform: [] } }, 'where.platform: expected some of android, ios, web, got none'],
    [{ where: { day: ['2026-11-01'] } }, 'where.day: expected from and to for the days, got a list'],
    [{ where: { constructor: ['x'] } }, 'where.constructor: expected one of the columns'],
    [{ where: JSON.parse('{"__proto__": ["x"]}') }, 'a question: expected names of columns and values, got __proto__'],
    [{ measures: [] }, 'measures: expected at least one measurement, got none'],
    [{ measures: undefined }, 'a question: expected measures or a partition, got neither'],
    [{ partition: { by: 'platform', parts: { web: [count] } } }, 'a question: expected measures or a partition, got both'],
    [{ measures: undefined, partition: { by: 'platform', parts: {} } }, 'partition.parts: expected at least one part, got none'],
    [{ measures: undefined, partition: { by: 'platform', parts: { web: [] } } }, 'partition.parts.web: expected at least one measurement'],
    [
      { measures: undefined, where: { platform: ['ios'] }, partition: { by: 'platform', parts: { web: [count] } } },
      'partition.parts: expected values of platform that are asked for, got "web"',
    ],
    [{ measures: undefined, partition: { by: 'colour', parts: { red: [count] } } }, 'partition.by: expected one of the columns'],
    [{ measures: [{ ...count, epsilon: '0' }] }, 'measures.0.epsilon: expected a number above 0, such as 0.1 or 1/3, got "0"'],
    [{ measures: [{ ...count, epsilon: '-1' }] }, 'measures.0.epsilon: expected a number above 0'],
    [{ measures: [{ ...count, epsilon: 0.1 }] }, 'measures.0.epsilon: expected a number above 0 as text'],
    [{ measures: [{ ...count, groupBy: ['colour'] }] }, 'measures.0.groupBy: expected one of the columns'],
    [{ measures: [{ kind: 'sum', epsilon: '1', column: 'cores' }] }, 'measures.0.low: expected a whole number'],
    [{ measures: [{ kind: 'sum', epsilon: '1', column: 'version', low: 2, high: 2 }] }, 'measures.0.low: expected bounds, low below high'],
    [
      { measures: [{ kind: 'sum', epsilon: '1', column: 'version', low: 2 ** 40 - 1, high: 2 ** 40 }] },
      'measures.0.low: expected bounds from -1048576 to 1048576, got',
    ],
    [{ measures: [{ ...count, epsilon: '0.00009' }] }, 'measures.0.epsilon: expected at least 0.0001, got 0.00009'],
    [{ measures: [{ kind: 'sum', epsilon: '1', column: 'platform', low: 0, high: 2 }] }, 'measures.0.column: expected a column of whole'],
    [{ measures: [{ kind: 'median', epsilon: '1', column: 'platform' }] }, 'measures.0.column: expected a column of numbers, got platform'],
    [{ measures: [{ kind: 'mode', epsilon: '1' }] }, 'measures.0.kind: expected one of '],
    [{ measures: [synthetic({ columns: ['platform'] })] }, 'measures.0.columns: expected at least two columns, since count with groupBy'],
    [{ measures: [synthetic({ columns: ['platform', 'colour'] })] }, 'measures.0.columns: expected one of the columns'],
    [{ measures: [synthetic({ about: undefined })] }, 'measures.0.about: expected a whole number, how many reports are expected'],
    [{ measures: [synthetic({ about: 0 })] }, 'measures.0.about: expected a number of reports from 1'],
    [
      { measures: [synthetic({}), synthetic({ columns: ['cores', 'day'] })] },
      'measures: expected at most 1 of the kind synthetic in a question',
    ],
    [{ measures: [share({ values: [] })] }, 'measures.0.values: expected some of android, ios, web, and not all of them, got none'],
    [{ measures: [share({ values: ['web', 'ios', 'android'] })] }, 'measures.0.values: expected some of android, ios, web, and not all'],
    [{ measures: [share({ values: ['beos'] })] }, 'and not all of them, got "beos"'],
    [{ measures: [share({ groupBy: ['platform'] })] }, 'measures.0.groupBy: expected other columns than platform, got it'],
    [{ measures: [share({ column: 'day' })] }, 'measures.0.column: expected one of the columns'],
    [{ measures: [share({ about: 0 })] }, 'measures.0.about: expected a number of reports from 1'],
    [{ measures: [{ ...synthetic({}), kind: 'association', columns: ['day', 'day'] }] }, 'measures.0.columns: expected two columns, got 1'],
    [
      { measures: [{ ...synthetic({}), kind: 'association', columns: ['day', 'cores', 'platform'] }] },
      'measures.0.columns: expected two columns, got 3',
    ],
    [
      { measures: Array(51).fill({ kind: 'days', epsilon: '0.01' }) },
      'measures: expected at most 50 of the kind days in a question, got 51',
    ],
    [{ from: '2026-02-30' }, 'from: expected a day such as 2026-11-20, got "2026-02-30"'],
    [{ from: '2026-11-04' }, 'from: expected a day up to 2026-11-03, got 2026-11-04'],
    [{ to: '2036-11-04' }, 'to: expected at most 1100 days'],
    [{ exclude: ['2026-11-04'] }, 'exclude: expected days from 2026-11-01 to 2026-11-03, got "2026-11-04"'],
    [{ to: '2026-11-01', exclude: ['2026-11-01'] }, 'exclude: expected a day that is left, got all of them'],
    [{ limit: 3 }, 'a question: expected no fields of other names, got ["limit"]'],
  ])('%j is refused in one line', (more, message) => {
    const ask = (): unknown => resolved(asked({ measures: [count], ...more }));
    expect(ask).toThrow(RangeError);
    expect(ask).toThrow(message);
    expect(ask).not.toThrow('\n');
  });

  test('of an app that is not published names those that are', () => {
    expect(() => tableOf(catalog, 'nodes')).toThrow('app: expected one of the published apps (notes), got "nodes"');
  });

  test('is the same question in another order, with doubles, and with everything said that is meant', () => {
    const one = resolved(asked({ where: { platform: ['web', 'ios'] }, measures: [{ ...count, groupBy: ['version', 'platform'] }, count] }));
    const other = resolved(
      asked({
        where: { platform: ['ios', 'web', 'ios'], metric: ['size', 'plan', 'dark'] },
        measures: [count, { ...count, groupBy: ['platform', 'version', 'platform'] }],
      }),
    );
    expect(other.key).toBe(one.key);
    expect(other.question).toEqual(one.question);
    const different = [
      asked({ where: { platform: ['web'] }, measures: [count] }),
      asked({ to: '2026-11-02', measures: [count] }),
      asked({ measures: [{ ...count, groupBy: ['day'] }] }),
      asked({ measures: undefined, partition: { by: 'platform', parts: { web: [count] } } }),
      asked({ measures: undefined, partition: { by: 'platform', parts: { ios: [count] } } }),
      asked(),
    ];
    expect(new Set(different.map((question) => resolved(question).key)).size).toBe(different.length);
  });

  test('without some days is another question at the same cost, and its rows are those of the other days', () => {
    const exact = [{ ...count, epsilon: '60' }]; // so much that there is no noise
    const [all, some] = [resolved(asked({ measures: exact })), resolved(asked({ measures: exact, exclude: ['2026-11-02', '2026-11-02'] }))];
    expect([some.question.exclude, some.cost, some.bound]).toEqual([['2026-11-02'], all.cost, all.bound]);
    expect(some.key).not.toBe(all.key);
    const first = parseDay('2026-11-01') as number;
    const ofWeb = { schema: wires[0], metric: 'plan', segment: { platform: 'web' } };
    const rows = [0, 1, 2].map((later): ReportCount => ({ ...ofWeb, day: first + later, reports: 10 ** later }));
    const counted = [all, some].map((each) => measureAll(each, prepare(each), rows, systemRandom())[0]?.cells?.[0]?.value);
    expect(counted).toEqual([111, 101]);
  });

  test('has the same key at another epsilon, so that a better answer is found', () => {
    expect(resolved(asked({ measures: [{ ...count, epsilon: '1/3' }] })).key).toBe(resolved(asked()).key);
  });

  test('for a synthetic table is the same with its columns in another order, and whatever number of reports is expected', () => {
    const keyOf = (more: object): string => resolved(asked({ measures: [synthetic(more)] })).key;
    expect(keyOf({ columns: ['cores', 'platform', 'cores'], about: 7 })).toBe(keyOf({}));
    expect(keyOf({ columns: ['cores', 'day'] })).not.toBe(keyOf({}));
  });

  test('for a synthetic table is refused where noise for each cell is stated to err no more, and prepared where it errs more', () => {
    const prepared = (more: object) => prepare(resolved(asked({ measures: [synthetic(more)] })));
    expect(() => prepared({})).toThrow(
      /^synthetic: expected a table whose stated error is below that of noise for each cell, \d+; use count with group-by cores, platform instead, got \d+ for 100 reports in 15 cells$/,
    );
    const columns = ['platform', 'cores', 'metric', 'version', 'day'];
    const [found] = prepared({ columns, about: 20, epsilon: '0.1' });
    expect(found?.error).toMatchObject({ mechanism: 'MWEM', sensitivity: 3 });
    expect(() => prepared({ columns, about: 1_000_000 })).toThrow('synthetic: expected a table whose stated error is below');
  });

  test('costs the sum of its measurements, and of a partition the costliest part', () => {
    const epsilonOf = (question: Question): string => amountText(resolved(question).cost.epsilon ?? ZERO);
    const third: Measure = { ...count, epsilon: '1/3' };
    expect(epsilonOf(asked({ measures: [count, third, third] }))).toBe('23/30');
    const parts = { web: [count], ios: [third, third], android: [third] };
    const partition = asked({ measures: undefined, partition: { by: 'platform', parts } });
    expect(epsilonOf(partition)).toBe('2/3');
    // Geometric noise for three reports, from integers: r = 1/9 moved by 3, twice.
    const third3 = toDouble(geometric({ epsilon: ratio(1n, 3n), sensitivity: 3 }).rho);
    expect(toDouble(resolved(partition).cost.rho as Ratio)).toBeCloseTo(2 * third3, 15);
  });

  test('in ρ has Gaussian noise and no ε, and is refused where there is none of it', () => {
    const [inRho, inEpsilon] = [
      { kind: 'count', rho: '0.02' },
      { ...count, epsilon: '0.1' },
    ] as const;
    const of = resolved(asked({ measures: [inRho, inRho] }));
    expect(of.cost).toEqual({ epsilon: undefined, rho: parseAmount('0.04', 'rho') });
    expect(resolved(asked({ measures: [inRho, inEpsilon] })).cost.epsilon).toBeUndefined();
    expect(prepare(of)[0]?.error).toMatchObject({ mechanism: 'gaussian', sensitivity: 3, standardDeviation: expect.closeTo(15, 6) });
    const days = prepare(resolved(asked({ measures: [{ kind: 'days', rho: '0.02' }] })));
    expect(days[0]?.error.mechanism).toBe('factored days');
    const share = { kind: 'share', rho: '0.02', column: 'platform', values: ['web'], about: 100 } as const;
    expect(prepare(resolved(asked({ measures: [share] })))[0]?.error.mechanism).toBe('quotient of gaussian cells');
    expect(resolved(asked({ measures: [{ kind: 'count', rho: '0.02' }] })).key).toBe(
      resolved(asked({ measures: [{ kind: 'count', epsilon: '1' }] })).key,
    );
    for (const [measure, expected] of [
      [
        { kind: 'median', rho: '1', column: 'cores' },
        'measures.0.rho: expected epsilon for median, which draws no Gaussian noise, got rho',
      ],
      [{ kind: 'count' }, 'measures.0: expected epsilon or rho, got neither'],
      [{ kind: 'count', rho: '1', epsilon: '1' }, 'measures.0: expected epsilon or rho, got both'],
      [{ kind: 'count', rho: '0.0000000001' }, 'measures.0.rho: expected at least 0.000000001'],
    ] as const)
      expect(() => resolved({ ...base, measures: [measure as unknown as Measure] })).toThrow(expected);
  });

  test('made by the builder is the one that is written by hand, and a misspelt column does not compile', () => {
    const rows = participation(second, base.from, base.to).where('platform', 'web', 'ios').where('metric', 'plan');
    expect(
      rows.ask((all) => [all.count({ epsilon: '0.1', groupBy: ['version', 'day'] }), all.mostUsed('cores', { epsilon: '1' })]),
    ).toEqual({
      ...base,
      where: { platform: ['web', 'ios'], metric: ['plan'] },
      measures: [
        { kind: 'count', epsilon: '0.1', groupBy: ['version', 'day'] },
        { kind: 'mostUsed', epsilon: '1', column: 'cores' },
      ],
    });
    const parted = rows.partition('platform', { web: (part) => [part.sum('cores', { epsilon: '1', low: 1, high: 8 })] });
    expect(resolved(parted).question.partition?.parts['web']).toEqual([{ kind: 'sum', epsilon: '1', column: 'cores', low: 1, high: 8 }]);
    expect(
      rows.ask((all) => [
        all.share('platform', ['web'], { epsilon: '1', about: 50, groupBy: ['version'] }),
        all.association('platform', 'version', { epsilon: '1', about: 50 }),
      ]).measures,
    ).toEqual([
      { kind: 'share', epsilon: '1', column: 'platform', values: ['web'], groupBy: ['version'], about: 50 },
      { kind: 'association', epsilon: '1', columns: ['platform', 'version'], about: 50 },
    ]);
    // @ts-expect-error: there is no such value
    expect(() => resolved(rows.ask((all) => [all.share('platform', ['beos'], { epsilon: '1', about: 5 })]))).toThrow('got "beos"');
    // @ts-expect-error: there is no such column
    expect(() => resolved(rows.ask((all) => [all.median('core', { epsilon: '1' })]))).toThrow('expected one of the columns');
    // @ts-expect-error: there is no such value
    expect(() => resolved(rows.where('platform', 'beos').ask((all) => [all.count({ epsilon: '1' })]))).toThrow('platform');
    // @ts-expect-error: there is no such part
    expect(() => resolved(rows.partition('platform', { beos: (part) => [part.count({ epsilon: '1' })] }))).toThrow('beos');
  });
});

/** Draws no noise: the numbers that come out are exact. */
const SILENT: Random = { uniform: () => 0, flip: () => false, decay: (numerator) => Number(numerator) === 0 };

const FROM = parseDay(base.from) as number;
const row = fc.record({
  schema: fc.constantFrom(...wires),
  metric: fc.constantFrom('plan', 'dark', 'size'),
  day: fc.constant(FROM),
  segment: fc.record({ platform: fc.constantFrom('web', 'ios', 'android'), cores: fc.constantFrom('1', '2', '4', '8') }),
  reports: fc.constant(1),
});
const epsilon = fc.constantFrom('0.1', '1/3', '2');
const groupBy = fc.subarray(['platform', 'version', 'metric', 'cores', 'day']);
const measure: fc.Arbitrary<Measure> = fc.oneof(
  fc.record({ kind: fc.constant('count' as const), epsilon, groupBy }),
  fc.record({
    kind: fc.constant('sum' as const),
    epsilon,
    column: fc.constant('cores'),
    low: fc.integer({ min: -5, max: 2 }),
    high: fc.integer({ min: 3, max: 9 }),
    groupBy,
  }),
);
const anyDays = fc.record({ kind: fc.constant('days' as const), epsilon });
const measures = fc.array(fc.oneof({ arbitrary: measure, weight: 3 }, anyDays), { minLength: 1, maxLength: 3 });
const where = fc.record(
  {
    metric: fc.subarray(['plan', 'dark', 'size'], { minLength: 1 }),
    platform: fc.subarray(['web', 'ios', 'android'], { minLength: 1 }),
  },
  { requiredKeys: [] },
);
const question = fc.oneof(
  fc.record({ where, measures }).map((more) => asked({ ...more, measures: more.measures })),
  fc.tuple(fc.constantFrom('metric', 'platform', 'cores', 'day'), fc.array(measures, { minLength: 4, maxLength: 4 })).map(([by, lists]) => {
    const values = {
      metric: ['plan', 'dark', 'size'],
      platform: ['web', 'ios', 'android'],
      cores: ['1', '2', '4', '8'],
      day: [dayText(FROM)],
    }[by];
    const parts = Object.fromEntries((values ?? []).map((value, i) => [value, lists[i] as Measure[]]));
    return asked({ measures: undefined, partition: { by, parts } });
  }),
);

test('every measure with noisy cells is drawn here; the laws of the others have tests of their own', () => {
  const drawn = new Set(fc.sample(measures, { seed: 1, numRuns: 200 }).flatMap((list) => list.map(({ kind }) => kind)));
  // A share is of two counts; mechanisms/ has the others.
  expect(KINDS.filter((kind) => !drawn.has(kind as never))).toEqual(['median', 'mostUsed', 'synthetic', 'share', 'association']);
});

describe('the stated epsilon', () => {
  /** The loss by which noise of scale sensitivity/ε covers a change: ε times its L1 norm over the sensitivity, of all measurements. */
  function lossOf(asked: ReturnType<typeof resolved>, rows: readonly ReportCount[], more: readonly ReportCount[]): number {
    const prepared = prepare(asked);
    const [without, with_] = [rows, [...rows, ...more]].map((each) => measureAll(asked, prepared, each, SILENT));
    return (with_ ?? []).reduce((sum, { cells = [], error, design, measure: { epsilon } }, i) => {
      const changes = cells.map(({ value }, at) => value - (without?.[i]?.cells?.[at]?.value ?? 0));
      // A day is in a noisy sum of each level.
      const change = changes.reduce((all, by) => all + Math.abs(by), 0) * (design !== undefined && 'levels' in design ? design.levels : 1);
      return sum + (change / error.sensitivity) * toDouble(parseAmount(epsilon ?? '', 'epsilon'));
    }, 0);
  }

  test('bounds what any device-day can change, through where, groupBy and partition, whatever its reports are', () => {
    fc.assert(
      fc.property(
        question,
        fc.array(row, { maxLength: 8 }),
        fc.array(row, { maxLength: 12 }),
        fc.constantFrom(2, 8),
        (it, rows, drawn, batches) => {
          const of = resolved(it, batches);
          // A device-day: of each metric so many reports as the bound allows, in any segments and versions.
          const each = batches < 3 ? batches : 1;
          const deviceDay = drawn.filter((one, i) => drawn.slice(0, i).filter(({ metric }) => metric === one.metric).length < each);
          expect(lossOf(of, rows, deviceDay)).toBeLessThanOrEqual(toDouble(of.cost.epsilon as Ratio) * (1 + 1e-12));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is reached: a device-day with all reports that it may have changes a count by the sensitivity', () => {
    const of = resolved(asked());
    const year = resolved(asked({ from: '2026-01-01', to: '2026-12-31', measures: [{ kind: 'days', epsilon: '0.1' }] }));
    const all = ['plan', 'dark', 'size'].map(
      (metric): ReportCount => ({ schema: wires[1], metric, day: FROM, segment: { platform: 'web', cores: '1' }, reports: 1 }),
    );
    expect(of.bound).toBe(3);
    expect(lossOf(of, [], all)).toBeCloseTo(toDouble(of.cost.epsilon as Ratio), 12);
    expect(lossOf(year, [], all)).toBeCloseTo(toDouble(of.cost.epsilon as Ratio), 9);
  });
});

test.each(KINDS)('the measure %s has a row in the docs, with its option', (kind) => {
  const page = readFileSync(new URL('../../../docs/release.md', import.meta.url), 'utf8');
  const flags = kindOf(kind).options()[0]?.[0] ?? '';
  expect(page).toMatch(new RegExp(`^\\| \`${kind}\` +\\| \`${flags.split(' ')[0]}[ \`]`, 'm'));
});
