// What the dashboard concludes, and how it draws and writes it, decided by plain functions.
// A page that overstates what is known would fail here.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import type { Answer, Metric } from '#collector/api/shown.ts';
import { addressOf, questionPath } from '#collector/dashboard/address.ts';
import { impossibleInWords, joined, signInWords } from '#collector/dashboard/explain.ts';
import { askedOf, availablePart, filterFromQuery, periodsOf, withFilter } from '#collector/dashboard/filter.ts';
import {
  bucketInWords,
  count,
  dayRange,
  daysBetween,
  decimalsFor,
  ends,
  endsOfValue,
  figure,
  hundredths,
  margin,
  marginOfValue,
  percent,
  rangeInWords,
  valueInWords,
  wrapped,
} from '#collector/dashboard/format.ts';
import { axisFor, inOrder, labelOf, length, position } from '#collector/dashboard/judge.ts';
import { type Mark, placed } from '#collector/dashboard/question/marks.ts';
import { csvOf } from '#collector/dashboard/question/takeaway.ts';
import {
  askedIn,
  byOf,
  daysIn,
  firstSides,
  goneFrom,
  lastOf,
  nameOfBy,
  namesGoneDays,
  toggled,
  viewFromQuery,
  viewInWords,
  waysOf,
  withView,
} from '#collector/dashboard/question/view.ts';
import { slotsIn } from '#collector/dashboard/terms.ts';

const answer = (value: Answer['answer'], estimate: number, half: number): Answer => ({
  answer: value,
  label: String(value),
  estimate,
  standardError: half / 1.96,
  low: estimate - half,
  high: estimate + half,
});

const metric: Metric = {
  app: 'notes',
  metric: 'plan',
  version: 1,
  type: 'choice',
  description: 'Which plan?',
  mechanism: 'k-ary',
  every: 'month',
  epsilon: 1,
  reports: 100,
  from: '2026-11-01',
  to: '2026-11-20',
  versions: [{ version: 1, reports: 100, from: '2026-11-01', to: '2026-11-20' }],
  segments: { platform: ['web', 'ios'] },
};

describe('addresses', () => {
  const base = new URL('https://t.example/telemetry/');
  const at = (path: string) => addressOf(new URL(path, base), base);
  test('the overview, the plan and each question have one, under any prefix, and nothing else is the page’s', () => {
    expect(at('./?days=7')).toEqual({ question: null, isPlan: false, query: '?days=7' });
    expect(at('index.html')).toEqual({ question: null, isPlan: false, query: '' });
    expect(at('plan?of=8')).toEqual({ question: null, isPlan: true, query: '?of=8' });
    expect(at('questions/home.page-2?app=notes')).toEqual({ question: 'home.page-2', isPlan: false, query: '?app=notes' });
    for (const other of [
      'releases.html',
      'v1/metrics',
      '/questions/plan',
      'questions/',
      'plan/a',
      'questions/a/b',
      'https://else.example/telemetry/',
    ])
      expect([other, at(other)]).toEqual([other, undefined]);
  });
  test('a question’s address holds its name, its app and the filter', () => {
    const filter = { segments: { platform: 'web' }, days: 7, among: 'population' } as const;
    expect(questionPath(metric, filter)).toBe('questions/plan?app=notes&segment.platform=web&days=7');
  });
});

describe('axis', () => {
  test.each([[[answer('a', 0.31, 0.02)]], [[answer('a', 1.2, 0.3), answer('b', -0.2, 0.3)]], [[answer('a', 0.0004, 0.0001)]]])(
    'no interval is clipped, zero and both ends of the lines are on it: %#',
    (answers) => {
      const axis = axisFor(answers, 'choice');
      expect(axis.bottom).toBeLessThanOrEqual(Math.min(0, ...answers.map(({ low }) => low)));
      expect(axis.top).toBeGreaterThanOrEqual(Math.max(...answers.map(({ high }) => high)));
      expect(axis.ticks).toContain(0);
      expect(axis.ticks.at(-1)).toBeCloseTo(axis.top, 12);
      expect(axis.ticks.length).toBeLessThanOrEqual(7);
    },
  );
  test('without negative intervals it begins at zero, and a flag has all of 0 to 100 %', () => {
    const axis = axisFor([answer(true, 0.3, 0.1)], 'flag');
    expect([axis.bottom, axis.top]).toEqual([0, 1]);
    expect([position(axis, 0.25), length(axis, 0.5)]).toEqual(['25.000%', '50.000%']);
  });
});

describe('words', () => {
  test('figures have a true minus sign, and no negative zero', () => {
    expect([percent(-0.0123, 1), percent(-0.0001, 1), percent(0.312, 1)]).toEqual(['\u22121.2\u00a0%', '0.0\u00a0%', '31.2\u00a0%']);
  });
  test('decimals follow the narrowest margin, which has two digits', () => {
    expect([0.02, 0.0009, 0.00003].map((half) => decimalsFor([answer('a', 0.3, half), answer('b', 0.3, 0.4)]))).toEqual([1, 3, 4]);
  });
  test('a margin is rounded up, an interval outwards, and by less than a tenth', () => {
    const shown = answer('a', 0.3, 0.00149);
    const decimals = decimalsFor([shown]);
    expect([margin(shown, decimals), ends(shown, decimals, 'to')]).toEqual(['0.15', '29.85\u00a0% to 30.15\u00a0%']);
    expect(rangeInWords(answer('a', 0.3, 0.00141), 1)).toBe('between 29.8\u00a0% and 30.2\u00a0%');
    expect([marginOfValue(answer('a', 12, 1.41), 1), endsOfValue(answer('a', -12, 1.41), 1, 'to')]).toEqual([
      '1.5',
      '\u221213.5 to \u221210.5',
    ]);
  });
  test('what is shown on both sides of a margin holds the whole interval, though the estimate is rounded and off the middle', () => {
    for (let i = 0; i < 2_000; i++) {
      const [estimate, half] = [((i * 7919) % 10_007) / 10_007, 10 ** (-1 - (i % 40) / 10)];
      const shown = { ...answer('a', estimate, half), low: estimate - 0.97 * half };
      const decimals = decimalsFor([shown]);
      const [middle, around] = [hundredths(estimate, decimals), margin(shown, decimals)].map(Number) as [number, number];
      expect(middle - around).toBeLessThan(100 * shown.low + 1e-9);
      expect(middle + around).toBeGreaterThan(100 * shown.high - 1e-9);
    }
  });
  test('figures of a claim stay within 0 and 100 %', () => {
    expect(rangeInWords(answer(true, -0.03, 0.02), 1)).toBe('at most 0.0\u00a0%');
    expect(rangeInWords(answer(true, 1.03, 0.02), 1)).toBe('at least 100.0\u00a0%');
  });
  test('how many reports of one device a range may hold follows the cadence', () => {
    const days = ['2026-11-01', '2026-11-30'] as const;
    expect((['once', 'year', 'month', 'week', 'day'] as const).map((every) => slotsIn(every, ...days))).toEqual([1, 1, 1, 5, 30]);
  });
  test('a range claims nothing below none or above all', () => {
    expect(rangeInWords(answer(true, 0.3, 0.1), 0)).toBe('between 20\u00a0% and 40\u00a0%');
    expect(rangeInWords(answer(true, 0.01, 0.1), 0)).toBe('at most 11\u00a0%');
    expect(rangeInWords(answer(true, 0.99, 0.1), 0)).toBe('at least 89\u00a0%');
    expect(rangeInWords(answer(true, 0.5, 0.6), 0)).toBe('not enough reports yet');
  });
  test('a mean is claimed within the range of its answers only', () => {
    const claim = (estimate: number, half: number): string => valueInWords(answer('a', estimate, half), [0, 1_500], 0);
    expect([claim(222, 4_038), claim(100, 120), claim(1_450, 60), claim(700, 90)]).toEqual([
      'anything from 0 to 1,500',
      'at most 220',
      'at least 1,390',
      'between 610 and 790',
    ]);
    expect([claim(-900, 300), claim(1_900, 300)]).toEqual(['at most 0', 'at least 1,500']);
    expect(valueInWords(answer('a', -900, 400), [-2_000.5, 0.1], 0)).toBe('between \u22121,300 and \u2212500');
    expect(valueInWords(answer('a', 0, 4_000), [-2_000.5, 0.1], 0)).toBe('anything from \u22122,000.5 to 0.1');
  });
  test('both ends of a range of days count, over a change of clocks too', () => {
    expect(daysBetween('2026-10-20', '2026-11-02')).toBe(14);
  });
});

describe('order', () => {
  test('buckets have their numbers as all others are, and answers of a list their own', () => {
    const labels = ['< -1000000', '-1000000 – 0.125', '≥ 1e+21', '1000 – 1500.5'];
    expect(labels.map((label) => labelOf(answer(label, 0.1, 0), 'histogram'))).toEqual([
      '< \u22121,000,000',
      '\u22121,000,000 – 0.125',
      '≥ 1e+21',
      '1,000 – 1,500.5',
    ]);
    expect(labelOf(answer('1000', 0.1, 0), 'choice')).toBe('1000');
  });
  test('yes comes first, few answers stay in schema order, many are sorted by estimate', () => {
    const few = [answer('a', 0.1, 0.1), answer('b', 0.9, 0.1)];
    const many = Array.from({ length: 7 }, (_, index) => answer(String(index), index / 10, 0.1));
    expect(inOrder([answer(false, 0.9, 0.1), answer(true, 0.1, 0.1)], 'flag')[0]?.answer).toBe(true);
    expect(inOrder(few, 'choice')).toEqual(few);
    expect(inOrder(many, 'choice')[0]?.answer).toBe('6');
    expect(inOrder(many, 'histogram')).toEqual(many);
  });
});

test('signs and impossible numbers are told in words that need no API: days as on the page, segments by name, a flag’s own answers', () => {
  const on = { day: '2026-11-14', segments: [] } as const;
  expect(signInWords({ ...on, kind: 'law', segments: ['platform=ios', 'platform=web'] })).toBe(
    'On 14 Nov 2026, reports came that randomized answers cannot explain: they may be fake or broken. They are from platform ios and platform web.',
  );
  expect(signInWords({ ...on, kind: 'silence' })).toBe('On 14 Nov 2026, almost no reports came, compared with the same weekday before.');
  expect(signInWords({ ...on, kind: 'value' })).toBe('Since 14 Nov 2026, with a new version, the average has jumped.');
  const flags = [answer(true, 1.4, 0.1), answer(false, -0.4, 0.1)];
  const flagged = (labels: readonly string[]) => impossibleInWords({ labels, pValue: 0 }, flags, { type: 'flag' });
  expect(flagged(['true'])).toBe('“Yes” below 0\u00a0% or above 100\u00a0%');
  expect(flagged(['true', 'false'])).toBe('2 answers below 0\u00a0% or above 100\u00a0%');
  expect(impossibleInWords({ labels: ['mean'], pValue: 0 }, [], { type: 'mean', range: [0, 1500] })).toBe('the average outside 0 to 1,500');
});

test('silent days in a row are told as one silence, the newest sign first', () => {
  const sign = (kind: 'law' | 'silence', day: string) => ({ kind, day, segments: [] });
  const signs = joined([
    ...['2026-11-18', '2026-11-19', '2026-11-20'].map((day) => sign('silence', day)),
    ...[sign('silence', '2026-11-14'), sign('law', '2026-11-21'), sign('law', '2026-11-22')],
  ]);
  expect(signs.map(signInWords)).toEqual([
    'On 22 Nov 2026, reports came that randomized answers cannot explain: they may be fake or broken.',
    'On 21 Nov 2026, reports came that randomized answers cannot explain: they may be fake or broken.',
    'On 18\u2009–\u200920 Nov 2026, almost no reports came, compared with the same weekday before.',
    'On 14 Nov 2026, almost no reports came, compared with the same weekday before.',
  ]);
});

describe('filter', () => {
  test('it survives the address bar, and leaves the rest of an address as it is', () => {
    const filter = { segments: { platform: 'web' }, days: 7, among: 'reports' } as const;
    expect(filterFromQuery(withFilter('', filter))).toEqual(filter);
    expect(withFilter('?app=notes&days=30&segment.platform=ios', filter)).toBe('?app=notes&segment.platform=web&days=7&among=reports');
    expect(withFilter('?days=30', { segments: {}, days: null, among: 'population' })).toBe('');
  });
  test('what is not published here is left out', () => {
    const filter = filterFromQuery('?segment.platform=tv&segment.region=EU&days=30');
    expect(availablePart(filter, [metric])).toEqual({ segments: {}, days: null, among: 'population' });
  });
  test('a link may ask for any number of last days, which is one of the choices then', () => {
    const filter = filterFromQuery('?days=11');
    expect([filter.days, availablePart(filter, [metric]).days, periodsOf([metric], filter.days)]).toEqual([11, 11, [7, 11]]);
    expect(['0', '-3', '1.5', '12345', 'x'].map((days) => filterFromQuery(`?days=${days}`).days)).toEqual(Array(5).fill(null));
  });
  test('the last 7 days are 7 days', () => {
    expect(askedOf(metric, { segments: { platform: 'ios', region: 'EU' }, days: 7, among: 'population' }, '2026-11-20')).toEqual({
      from: '2026-11-14',
      to: '2026-11-20',
      segment: { platform: 'ios' },
      among: 'population',
    });
  });
});

describe('the view of a question', () => {
  const sides = { a: { segment: { platform: 'web' } }, b: { segment: { platform: 'ios' } } };
  test('it survives the address bar in the words of the API, and leaves the rest of an address as it is', () => {
    const exclude = ['2026-11-08', '2026-11-09'];
    const view = { sides, experiment: true, exclude, picture: 'shares', interval: 'week', open: ['table'] } as const;
    const query = withView('?app=notes&days=7&exclude=2020-01-01&a.version=1', view);
    expect(query).toBe(
      '?app=notes&days=7&a.segment.platform=web&b.segment.platform=ios&experiment=true&exclude=2026-11-08,2026-11-09&picture=shares&interval=week&open=table',
    );
    expect(viewFromQuery(query)).toEqual(view);
    expect(viewFromQuery('?exclude=yesterday,2026-13-01&interval=hour&a.version=x&experiment=true&open=all')).toEqual({
      sides: null,
      experiment: false,
      exclude: [],
      picture: null,
      interval: null,
      open: [],
    });
  });
  test('the tab is named after it, and days before all reports are gone', () => {
    const at = (query: string) => {
      const [view, filter] = [viewFromQuery(query), filterFromQuery(query)];
      return [viewInWords(view, askedIn({ metric, filter, span: null }, view)), namesGoneDays(metric, filter, view)];
    };
    expect(at('?a.segment.platform=web&b.segment.platform=ios&exclude=2026-11-08')).toEqual([
      'ios compared with web, 1 day left out',
      false,
    ]);
    expect(at('?segment.platform=web&from=2026-10-31')).toEqual(['web, since 31 Oct 2026', true]);
    expect([at(''), at('?exclude=2026-10-31')[1], at('?a.to=2026-10-31&b.from=2026-11-02')[1]]).toEqual([['', false], true, true]);
  });
  test('days are left out and put back', () => {
    expect(toggled(['2026-11-08'], daysIn('2026-11-08', '2026-11-09'))).toEqual(['2026-11-08', '2026-11-09']);
    expect(toggled(['2026-11-08', '2026-11-10'], ['2026-11-08'])).toEqual(['2026-11-10']);
  });
  test('a comparison begins with the last two values, or with the days before and since a version', () => {
    const versions = [...metric.versions, { version: 2, reports: 9, from: '2026-11-11', to: '2026-11-20' }];
    const both = { ...metric, versions };
    expect(waysOf(both)).toEqual(['segment.platform', 'version', 'days']);
    expect(waysOf(both).map((by) => nameOfBy(by, both))).toEqual(['platform', 'version', 'days']);
    expect(nameOfBy('version', { segments: { version: ['1.9', '2.0'] } })).toBe('schema version');
    expect(firstSides(both, 'segment.platform')).toEqual(sides);
    expect(firstSides(both, 'version')).toEqual({ a: { version: 1 }, b: { version: 2 } });
    expect(firstSides(both, 'days')).toEqual({ a: { to: '2026-11-10' }, b: { from: '2026-11-11' } });
    expect(firstSides(metric, 'days')).toEqual({ a: { to: '2026-11-10' }, b: { from: '2026-11-11' } });
    expect(lastOf(7, '2026-11-20')).toEqual({ a: { from: '2026-11-07', to: '2026-11-13' }, b: { from: '2026-11-14', to: '2026-11-20' } });
    expect(['segment.platform', 'version', 'days'].map((by) => byOf(firstSides(both, by)))).toEqual(waysOf(both));
    expect(goneFrom(both, { a: { version: 3 }, b: { segment: { platform: 'tv' } } })).toEqual(['version 3', 'platform: tv']);
  });
  test('dates that stay get a verdict for every look, and the last days and days with some left out do not', () => {
    const of = (query: string) => askedIn({ metric, filter: filterFromQuery(query), span: null }, viewFromQuery(query)).looks;
    expect(['', '?from=2026-11-02', '?days=7', '?exclude=2026-11-08', '?from=2026-11-02&exclude=2026-11-08'].map(of)).toEqual([
      undefined,
      'always',
      undefined,
      'once',
      'once',
    ]);
  });
  test('a label of a mark stays in the plot, and lies neither on another label nor on the line of another mark', () => {
    const texts = ['2.0', 'campaign in Germany, Austria and Switzerland', 'not to be trusted', '値上げ'];
    let labels = 0;
    for (let seed = 0; seed < 200; seed++) {
      const at = (i: number): number => 52 + ((seed * 37 + i * i * 61 + i * seed) % 534);
      const marks = Array.from({ length: 1 + (seed % 6) }, (_, i): Mark => ({ kind: 'note', day: `${i}`, text: texts[i % 4] as string }));
      const shown = placed(marks, ({ day }) => at(Number(day)), 600).filter(({ lane }) => lane !== undefined);
      labels += shown.length;
      for (const one of shown) {
        expect([one.left >= 0, one.right <= 600, one.label.length <= 26]).toEqual([true, true, true]);
        for (const other of shown.filter((each) => each !== one)) {
          if (one.lane === other.lane) expect(one.right < other.left || other.right < one.left).toBe(true);
          if (Number(one.lane) > Number(other.lane)) expect(other.left < one.x && one.x < other.right).toBe(false);
        }
      }
    }
    expect(labels).toBeGreaterThan(500);
  });
  test('no name is cut where it is drawn', () => {
    const name = 'news.ycombinator.com/item?id=1 and news.ycombinator.com/item?id=2';
    expect(wrapped(name, 160).join('').replaceAll(' ', '')).toBe(name.replaceAll(' ', ''));
    expect(Math.max(...wrapped(name, 160).map(({ length }) => length))).toBeLessThanOrEqual(21);
  });
  test('CSV holds nothing that a spreadsheet would run', () => {
    expect(
      csvOf([
        ['answer', 'estimate'],
        ['=1+1', -0.01],
        [undefined, 1e-7],
      ]),
    ).toBe('answer,estimate\r\n"\'=1+1",-0.01\r\n,1e-7\r\n');
  });
});

test('the page carries how each type of question is shown, and none of the words of the privacy statement', async () => {
  const entry = fileURLToPath(new URL('../../../collector/src/dashboard/judge.ts', import.meta.url));
  const { metafile, outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false, metafile: true });
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  expect(files.filter((file) => !file.includes('/dashboard/'))).toEqual([
    expect.stringMatching(/collector\/src\/estimation\/questions\.ts$/),
  ]);
  const [page] = outputFiles;
  expect(page?.text).toContain('yes-no');
  expect(page?.text).not.toMatch(/one of a list|only randomized bits|planning/);
});

test('the page of releases carries the words of measurements, and none of their forms and mechanisms', async () => {
  const entry = fileURLToPath(new URL('../../../collector/src/dashboard/release-fields.tsx', import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false });
  const [page] = outputFiles;
  expect(page?.text).toContain('Synthetic table of');
  expect(page?.text).not.toMatch(/strictObject|geometric|UsageError/);
});

test('numbers and days are written as Intl writes them, which takes longer to load than the first answer may', () => {
  const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  const some = ['2025-12-28', '2026-01-03', '2026-09-28', '2026-11-19', '2026-11-25', '2027-05-01'];
  for (const [i, from] of some.entries())
    for (const to of some.slice(i)) expect(dayRange(from, to)).toBe(days.formatRange(Date.parse(from), Date.parse(to)));
  const numbers = (decimals: number) =>
    new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: true });
  for (const value of [0, 7, 999, 1_000, 123_456.789, 9_999_999.6, 0.000123])
    for (const decimals of [0, 2, 5])
      for (const sign of [1, -1])
        expect(figure(sign * value, decimals)).toBe(
          numbers(decimals)
            .format(sign * value)
            .replace(/^-(?=.*[1-9])/, '\u2212')
            .replace(/^-/, ''),
        );
  for (const value of [0, 999, 1_000, 12_345, 1_234_567]) expect(count(value)).toBe(numbers(0).format(value));
  expect(bucketInWords('< -1000000')).toBe('< \u22121,000,000');
  expect(bucketInWords('1234.5678 – 1e-7')).toContain('1,234.5678');
});
