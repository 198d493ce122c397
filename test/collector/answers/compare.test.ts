/** Series and comparisons: intervals of days, words, and the coverage of differences, exact where it can be computed. */

import { choice, createTelemetry, defineSchema, distribution, flag, memoryStorage, permanent, text } from '@murmuration/client';
import { createReader } from '@murmuration/collector/reader';
import { dayNumber, dayText, type MetricDocument, mechanismOf, type ShareLaw } from '@murmuration/shared';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare } from '#collector/answers/compare.ts';
import { clearTogether, differenceInWords } from '#collector/answers/differences.ts';
import type { EstimateRequest } from '#collector/answers/estimates.ts';
import { difference, rowsOf } from '#collector/answers/rows.ts';
import type { SeriesPoint } from '#collector/answers/series.ts';
import { INTERVALS, partsIn, seriesOf } from '#collector/answers/series.ts';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';
import { bodyOf, NOW, type Running, read, start } from '../../kit/app.ts';
import { drawnCases, drawTally, rowsOf as rowsOfLaw } from '../../kit/coverage/drawn.ts';
import { arriving, arrivingList } from '../../kit/looks.ts';
import { uniforms } from '../../kit/random.ts';
import { atMost, binomial, logGamma, upperTail } from '../../proofs/statistics.ts';

const day = (text: string): number => dayNumber(Date.parse(text));

describe('parts of a range', () => {
  test('follow each other without a gap, and begin on Mondays and on the first of months', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), fc.nat(800), fc.constantFrom(...INTERVALS), (from, length, interval) => {
        const parts = partsIn({ from, to: from + length }, interval, 1_000);
        expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, from + length]);
        for (const [i, part] of parts.entries()) {
          expect(part.to).toBeGreaterThanOrEqual(part.from);
          if (i === 0) continue;
          expect(part.from).toBe((parts[i - 1]?.to ?? 0) + 1);
          const date = new Date(`${dayText(part.from)}T00:00:00Z`);
          if (interval === 'week') expect(date.getUTCDay()).toBe(1);
          if (interval === 'month') expect(date.getUTCDate()).toBe(1);
        }
      }),
    );
  });
  test('are cut off beyond the most, plus one that tells', () => {
    expect(partsIn({ from: 0, to: 10 ** 9 }, 'day', 5)).toHaveLength(6);
    expect(partsIn({ from: day('2026-01-30'), to: day('2026-03-01') }, 'month', 9).map(({ from }) => dayText(from))).toEqual([
      '2026-01-30',
      '2026-02-01',
      '2026-03-01',
    ]);
  });
});

const around = (estimate: number, half: number): Estimate => ({
  estimate,
  standardError: half / 1.959963984540054,
  low: estimate - half,
  high: estimate + half,
});

describe('words', () => {
  const told = (a: Estimate, b: Estimate, isClear: boolean) => ({ ...difference(a, b), isClear });
  test.each([
    [0.2, 0.231, 0.0134, true, 'went up by 3.1 points, between 1.2 and 5.0'],
    [0.231, 0.2, 0.0134, true, 'went down by 3.1 points, between 1.2 and 5.0'],
    [0.2, 0.21, 0.0134, false, 'too close to call: between 0.9 points down and 2.9 points up'],
  ])('from %d to %d', (before, after, half, isClear, words) => {
    const unit = { wording: 'time', isShare: true } as const;
    expect(differenceInWords(told(around(before, half), around(after, half), isClear), unit)).toBe(words);
  });
  test('of one difference that its test has not shown hold 0', () => {
    const unit = { wording: 'time', isShare: true } as const;
    expect(differenceInWords(told(around(0.2, 0.0134), around(0.231, 0.0134), false), unit)).toBe(
      'too close to call: between 0.0 points down and 5.0 points up',
    );
  });
  test('of groups and numbers, in their unit', () => {
    const unit = { wording: 'group', isShare: false, name: 'ms' } as const;
    expect(differenceInWords(told(around(10, 3), around(40, 4), true), unit)).toBe('is higher by 30.0 ms, between 25.0 and 35.0');
  });
  test('of many answers tested together name fewer than each alone', () => {
    const p = (...pValues: readonly number[]) => pValues.map((pValue) => ({ pValue, weight: 1 }));
    expect(clearTogether(p(0.046, 1e-20, 1, 0.036))).toEqual([false, true, false, false]);
    expect(clearTogether(p(0.046))).toEqual([true]);
    expect(clearTogether([])).toEqual([]);
    expect(clearTogether(p(0.02, 0.03))).toEqual([true, true]);
    // A weight of a half needs half the level, and leaves the other half to the rest.
    expect(clearTogether([{ pValue: 0.024, weight: 2 }, ...p(0.03, 0.03)])).toEqual([true, false, false]);
    expect(clearTogether([{ pValue: 0.026, weight: 2 }, ...p(0.02, 0.03)])).toEqual([false, false, false]);
  });
});

const documentOf = (question: ReturnType<typeof flag>): MetricDocument =>
  defineSchema({ app: 'a', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { m: question as never } }).document.metrics[
    'm'
  ] as MetricDocument;

/** The estimate of yes from a number of reports that say so. */
function yes(document: MetricDocument, reports: number, count: number, days = 1): Estimate {
  const cells = Float64Array.of(reports - count, count);
  const evidence = { tallies: new Map([[0, { reports, cells }]]), reports, from: 20_000, to: 20_000 + days - 1, ones: [] };
  const metric = { app: 'a', metric: 'm', version: 1, document };
  const rows = rowsOf({ metric, evidence, minimum: 1, candidates: [], among: days > 1 ? 'reports' : 'population' }, 'cells');
  return rows.find(({ answer }) => answer === true) as Estimate;
}

const chances = (n: number, p: number): readonly number[] =>
  Array.from({ length: n + 1 }, (_, k) =>
    Math.exp(logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1) + k * Math.log(p) + (n - k) * Math.log(1 - p)),
  );

describe('the interval of a difference', () => {
  test('covers the truth of different people as often as it says: exactly, over all pairs of counts', () => {
    const document = documentOf(flag({ epsilon: 1, description: 'Is it on?' }));
    const { p, q } = mechanismOf(document.law as ShareLaw).support(document.law as never);
    const [n, m] = [60, 40];
    const found = [n, m].map((reports) => Array.from({ length: reports + 1 }, (_, count) => yes(document, reports, count)));
    const coverages: number[] = [];
    for (const before of [0, 0.05, 0.3, 0.5, 0.9, 1])
      for (const after of [0, 0.1, 0.5, 1]) {
        const ofA = chances(n, q + (p - q) * before);
        const ofB = chances(m, q + (p - q) * after);
        let covered = 0;
        for (const [i, one] of ofA.entries())
          for (const [j, other] of ofB.entries()) {
            const { low, high } = difference(found[0]?.[i] as Estimate, found[1]?.[j] as Estimate);
            if (low <= after - before && after - before <= high) covered += one * other;
          }
        coverages.push(covered);
      }
    expect(Math.min(...coverages)).toBeGreaterThan(0.93);
    expect(coverages.reduce((sum, each) => sum + each, 0) / coverages.length).toBeLessThan(0.99);
  });

  /** Reports of a permanent flag: each device keeps a symbol, and reports on it day by day. */
  const DAYS = 5;
  const document = documentOf(permanent(flag({ epsilon: 1, every: 'day', description: 'Is it on?' }), { epsilon: 2, renew: 'year' }));
  const law = document.law as ShareLaw;
  const [report, stored] = [mechanismOf(law).support(law), mechanismOf(law).support(law, 'permanent')];
  // A report says yes with this probability, given the symbol: p = t p∞ + f (1 - p∞), q = t q∞ + f (1 - q∞).
  const slope = (report.p - report.q) / (stored.p - stored.q);
  const ofYes = report.p + slope * (1 - stored.p);
  const ofNo = report.p - slope * stored.p;

  test.each([
    ['the same devices', 1],
    ['other devices', 0],
    ['half of them the same', 0.5],
  ])('covers in permanent metrics, where the sides have %s', (_, shared) => {
    let state = 12_345;
    const random = (): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const devices = 150;
    const symbols = (count: number): readonly boolean[] =>
      Array.from({ length: count }, (_, i) => random() < (i % 3 === 0 ? stored.p : stored.q));
    const reportsOf = (kept: readonly boolean[]): number =>
      kept.reduce(
        (sum, symbol) => sum + Array.from({ length: DAYS }, () => Number(random() < (symbol ? ofYes : ofNo))).reduce((a, b) => a + b, 0),
        0,
      );
    const rounds = 2_000;
    let covered = 0;
    for (let round = 0; round < rounds; round++) {
      const first = symbols(devices);
      // Shared devices are a run of whole triples, so that a third of every side has the answer.
      const same = Math.round((devices / 3) * shared) * 3;
      const second = [...first.slice(0, same), ...symbols(devices - same)];
      const [a, b] = [first, second].map((kept) => yes(document, devices * DAYS, reportsOf(kept), DAYS));
      const { low, high } = difference(a as Estimate, b as Estimate);
      covered += Number(low <= 0 && 0 <= high);
    }
    // The interval is exact for other devices, and at least as wide as needed for shared ones.
    const tail = upperTail(binomial(covered, 0.95, rounds));
    if (shared === 0 || covered < 0.95 * rounds) expect(tail).toBeGreaterThan(1e-6);
    if (shared === 1) expect(covered).toBeGreaterThan(0.98 * rounds);
  });
});

describe('one verdict', () => {
  const documents = createCatalog([
    defineSchema({
      app: 'a',
      version: 1,
      budget: { epsilon: 99, per: 'month' },
      metrics: {
        plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
        either: choice(['new', 'old'], { epsilon: 1, description: 'Which design?' }),
        dark: flag({ epsilon: 1, description: 'Dark mode?' }),
        home: text({ epsilon: 1, description: 'Which page?' }),
        start: distribution([0, 64], { cells: 16, epsilon: 4, description: 'How long is a start?', unit: 's' }),
      },
    }).document,
  ]).metrics;
  const metricOf = (name: string) => documents.find(({ metric }) => metric === name) as (typeof documents)[number];
  const side = (
    name: string,
    cells: readonly number[],
    reports: number,
    looks: 'always' | 'once',
    candidates: readonly string[] = [],
  ): EstimateRequest => {
    const tallies = new Map([[0, { reports, cells: Float64Array.from(cells) }]]);
    const evidence = { tallies, reports, from: 20_000, to: 20_000, ones: [] };
    return { metric: metricOf(name), evidence, minimum: 1, candidates, verdicts: { looks, planned: reports } };
  };
  const compared = (name: string, a: readonly number[], b: readonly number[], looks: 'always' | 'once' = 'once') => {
    const reports = name === 'start' ? 30_000 : a.reduce((sum, count) => sum + count, 0);
    return compare(side(name, a, reports, looks), side(name, b, reports, looks), 'group');
  };

  test('where one answer differs by itself and not among all of them, its row has a range that allows for the others', () => {
    const verdicts = (shift: number): readonly string[] => {
      const { comparison, differences } = compared('plan', [300, 300, 300], [300 + shift, 300 - shift / 2, 300 - shift / 2]);
      expect(differences.every(({ isClear, verdict }) => isClear === !verdict.startsWith('too close'))).toBe(true);
      const { difference, verdict } = differences[0] as (typeof differences)[number];
      expect(difference.low > 0).toBe(shift > 10);
      return [comparison.verdict, verdict];
    };
    for (const shift of [10, 42])
      expect(verdicts(shift)).toEqual([
        'too close to call: with 3 answers compared at once, chance alone can explain every difference',
        expect.stringMatching(/^too close to call: between .* down and .* up$/),
      ]);
    expect(verdicts(80)[0]).toMatch(/^free is higher by /);
    const { comparison } = compared('plan', [300, 300, 300], [380, 260, 260], 'always');
    expect(comparison).toMatchObject({ subject: 'Which plan?', looks: 'always' });
  });
  test('of 40 answers has rows whose ranges hold together, 95 % of the time', () => {
    const [reports, rounds, uniform] = [5_000, 60, uniforms(41)];
    // Differences of two standard errors are those that a test most often leaves unclear.
    const shares = [1, -1].map((sign) => Array.from({ length: 40 }, (_, i) => 1 / 40 + (i % 2 === 0 ? sign : -sign) * 0.0022));
    const lists = shares.map((each) => arrivingList(each, 8));
    let wrong = 0;
    for (let round = 0; round < rounds; round++) {
      const [a, b] = lists.map((list): EstimateRequest => {
        const [tallies] = [...arriving(list, [reports], uniform)] as [EstimateRequest['evidence']['tallies']];
        const evidence = { tallies, reports, from: 20_000, to: 20_000, ones: [] };
        const metric = { app: 'a', metric: 'm', version: 1, document: list.document };
        return { metric, evidence, minimum: 1, candidates: [], verdicts: { looks: 'once', planned: reports } };
      }) as [EstimateRequest, EstimateRequest];
      wrong += Number(
        compare(a, b, 'group').differences.some(({ verdict }, i) => {
          const truth = 100 * ((shares[1]?.[i] as number) - (shares[0]?.[i] as number));
          const [x, y] = [...verdict.matchAll(/[\d.]+/g)].map(([figure]) => Number(figure)).slice(-2) as [number, number];
          const [low, high] = verdict.includes('too close') ? [-x, y] : verdict.includes('lower') ? [-y, -x] : [x, y];
          const rounding = 0.051;
          return truth < low - rounding || truth > high + rounding;
        }),
      );
    }
    expect(1 - atMost(wrong - 1, rounds, 0.05)).toBeGreaterThan(1e-6);
  });
  test('of a series has changes that hold together, 95 % of the time, where they are told from none', () => {
    const [reports, rounds, uniform] = [2_000, 60, uniforms(43)];
    // Up and down by three and a half standard errors: about half of the changes are told.
    const lists = [1, -1].map((sign) => arrivingList([0.5 + sign * 0.045, 0.5 - sign * 0.045], 1));
    let [wrong, told] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const parts = Array.from({ length: 26 }, (_, i) => {
        const [tallies] = [...arriving(lists[i % 2] as (typeof lists)[number], [reports], uniform)] as [
          EstimateRequest['evidence']['tallies'],
        ];
        return { from: i, to: i, evidence: { tallies, reports, from: i, to: i, ones: [] } };
      });
      const metric = { app: 'a', metric: 'm', version: 1, document: (lists[0] as (typeof lists)[number]).document };
      const { points } = seriesOf({ metric, minimum: 1, candidates: [], top: 1, verdicts: { looks: 'once', planned: reports }, parts });
      const changes = points.flatMap(({ answers: [first] }) =>
        first?.change?.told ? [[first.change.told.low, first.change.told.high].map(Math.abs)] : [],
      );
      told += changes.length;
      // Each change is one of 9 points, up or down.
      wrong += Number(changes.some((ends) => Math.max(...ends) < 0.09 || Math.min(...ends) > 0.09));
    }
    expect(told).toBeGreaterThan(rounds);
    expect(1 - atMost(wrong - 1, rounds, 0.05)).toBeGreaterThan(1e-6);
  });
  test('of a flag is one row, about yes', () => {
    const { comparison, differences } = compared('dark', [700, 300], [600, 400]);
    expect(differences.map(({ answer }) => answer)).toEqual([true]);
    expect(comparison.verdict).toMatch(/^yes is (higher|lower) by /);
  });
  test('of two answers that are complements counts once', () => {
    // z = 2.06, which is clear alone and would not be as one of two.
    const { differences } = compared('either', [500, 500], [546, 454]);
    expect(differences.map(({ isClear }) => isClear)).toEqual([true, true]);
    expect(differences[0]?.difference.estimate).toBeCloseTo(-(differences[1]?.difference.estimate ?? 0), 9);
  });
  test('of a distribution never says less than its mean or its median, and tells both in the unit', () => {
    const { law } = metricOf('start').document;
    const random = uniforms(5);
    const filled = (middle: number): EstimateRequest['evidence']['tallies'] => {
      const draw = drawnCases.find((each) => each.name === 'distribution, square-wave, ε 4') as (typeof drawnCases)[number];
      const shares = draw.shares.map((_, cell) => Math.exp(-(((cell - middle) / 3) ** 2)));
      const total = shares.reduce((sum, share) => sum + share, 0);
      return drawTally({ shares: shares.map((share) => share / total), rows: rowsOfLaw(law as never) }, 30_000, random).tallies;
    };
    expect(law.mechanism).toBe('square-wave');
    for (const [to, words] of [
      [5, /^too close to call/],
      [7, /^the mean is higher by .* s, between .*; the median is higher by .* s, /],
    ] as const) {
      const [a, b] = [5, to].map((middle) => {
        const request = side('start', [], 30_000, 'always');
        return { ...request, evidence: { ...request.evidence, tallies: filled(middle) } };
      }) as [EstimateRequest, EstimateRequest];
      const { comparison, differences } = compare(a, b, 'group');
      expect(comparison.verdict).toMatch(words);
      expect(comparison.measure).toBe('s');
      const anything = [comparison.mean, comparison.median, ...differences].some((each) => each?.isClear);
      expect(anything).toBe(!comparison.verdict.startsWith('too close'));
    }
  });
});

describe('over HTTP', () => {
  let running: Running;
  beforeAll(async () => {
    running = await start({ candidates: { home: Array.from({ length: 40 }, (_, i) => `page ${i}`) } });
    const devices = Array.from({ length: 60 }, (_, i) => bodyOf(i, i % 2 === 0 ? 'web' : 'ios', i % 12));
    await running.send(await Promise.all(devices));
  }, 60_000);
  afterAll(() => running.close());

  interface Answer {
    readonly error?: string;
    readonly points: readonly SeriesPoint[];
    readonly page: { readonly total: number };
    readonly reports: number;
    readonly verdict: string;
    readonly unit?: string;
    readonly differences: readonly { readonly label: string; readonly difference: Estimate; readonly a: Estimate; readonly b: Estimate }[];
  }
  const ask = async (path: string): Promise<Answer & { readonly status: number }> => {
    const { status, body } = await read<Answer>(`${running.url}/v1/metrics/${path}`);
    return { ...body, status };
  };

  test('each day of a series is the estimate of that day, with its change', async () => {
    const { points, reports, page } = await ask('plan/series');
    expect([reports, page.total, points.length]).toEqual([60, 12, 12]);
    expect(points.map(({ from }) => from)).toEqual(Array.from({ length: 12 }, (_, i) => dayText(dayNumber(NOW) - 11 + i)));
    for (const [i, point] of points.entries()) {
      const { body } = await read<{ readonly answers: readonly Estimate[]; readonly reports: number }>(
        `${running.url}/v1/metrics/plan/estimates?from=${point.from}&to=${point.to}`,
      );
      expect(point.reports).toBe(body.reports);
      expect(point.answers).toMatchObject(body.answers.map(({ estimate, low, high }) => ({ estimate, low, high })));
      for (const [k, answer] of point.answers.entries()) {
        const before = points[i - 1]?.answers[k];
        if (before === undefined) expect(answer.change).toBeNull();
        else expect(answer.change).toEqual({ ...difference(before, answer), isClear: false });
      }
    }
  });

  test('weeks and months add their days up, and segments and ranges are chosen as for estimates', async () => {
    const weeks = await ask('plan/series?interval=week');
    expect(weeks.points.reduce((sum, { reports }) => sum + reports, 0)).toBe(60);
    expect(weeks.points.map(({ from }) => from)).toEqual(['2026-11-09', '2026-11-16']);
    expect((await ask('plan/series?interval=month&segment.platform=ios')).points.map(({ reports }) => reports)).toEqual([30]);
    expect((await ask('plan/series?from=2026-11-19&to=2027-01-01')).points).toHaveLength(2);
    expect((await ask('plan/series?from=2027-01-01')).points).toEqual([]);
  });

  test('every kind of metric has a series: numbers and distributions of their means, texts of the largest candidates', async () => {
    for (const metric of ['speed', 'spread']) {
      const { points, unit } = await ask(`${metric}/series?interval=month`);
      expect([unit, points[0]?.answers.map(({ label }) => label)]).toEqual(['value', ['mean']]);
    }
    expect((await ask('home/series?interval=month')).points[0]?.answers).toHaveLength(10);
    expect((await ask('home/series?interval=month&top=3')).points[0]?.answers).toHaveLength(3);
    expect((await ask('home/series?interval=month&candidate=page%201')).points[0]?.answers).toMatchObject([{ label: 'page 1' }]);
  });

  test('two ranges and two segments are compared, with a verdict', async () => {
    const ranges = await ask('plan/compare?a.to=2026-11-14&b.from=2026-11-15');
    expect(ranges.differences.map(({ label }) => label)).toEqual(['free', 'pro', 'team']);
    for (const { a, b, difference: found } of ranges.differences) expect(found).toEqual(difference(a, b));
    expect(ranges.verdict).toMatch(/^(too close to call|\w+ went (up|down) by )/);
    expect((await ask('plan/compare?a.segment.platform=web&b.segment.platform=ios&from=2026-11-01')).status).toBe(200);
    expect((await ask('speed/compare?a.segment.platform=web&b.segment.platform=ios')).unit).toBe('value');
    const strings = await ask('home/compare?a.segment.platform=web&b.segment.platform=ios');
    expect([strings.page.total, strings.verdict]).toEqual([0, 'too close to call: no string is told from 0 on both sides together']);
    expect(await ask('spread/compare?a.segment.platform=web&b.segment.platform=ios')).toMatchObject({
      mean: { verdict: expect.any(String) },
      median: { verdict: expect.any(String) },
      looks: 'always',
    });
    expect((await ask('plan/compare?a.to=2020-01-01&b.from=2026-11-15')).verdict).toMatch(/^too few reports: 0 and \d+, /);
  });

  test.each([
    'plan/compare',
    'plan/compare?from=2026-01-01',
    'plan/compare?a.from=2026-01-02&a.to=2026-01-01&b.from=2026-01-01',
    'plan/compare?c.from=2026-01-02',
    'plan/compare?a.segment.colour=red&b.from=2026-01-01',
    'plan/series?interval=year',
    'plan/series?top=0',
    'plan/series?candidate=x',
  ])('%s is refused in one line', async (path) => {
    const { status, error } = await ask(path);
    expect([status, error]).toEqual([400, expect.stringMatching(/^bad-/)]);
  });
});

test('a choice whose list grew is compared by the answers of both versions, which the list of metrics names', async () => {
  const schemaOf = (version: number, answers: readonly string[]) =>
    defineSchema({
      app: 'grown',
      version,
      budget: { epsilon: 9, per: 'month' },
      metrics: { plan: choice(answers, { epsilon: 1, description: 'Which plan?' }) },
    });
  const versions = [schemaOf(1, ['a', 'b']), schemaOf(2, ['a', 'b', 'c'])] as const;
  const running = await start({ schemas: versions.map(({ document }) => document) });
  try {
    const { status, body } = await read(`${running.url}/v1/metrics/plan/compare?a.version=1&b.version=2`);
    expect([status, body]).toMatchObject([
      200,
      { a: { version: 1 }, b: { version: 2 }, verdict: expect.stringMatching(/^too few reports/) },
    ]);
    for (const [i, schema] of versions.entries()) {
      const clock = { now: () => NOW - (1 - i) * 86_400_000, after: () => () => {} };
      const telemetry = createTelemetry({ schema, endpoint: running.url, consent: 'granted', storage: memoryStorage(), clock });
      telemetry.record('plan', 'a');
      await telemetry.flush();
    }
    const [metric] = await createReader(undefined, { url: running.url }).metrics();
    expect(metric?.reports).toBe(1); // the older law is another one
    expect(metric?.versions).toEqual([
      { version: 1, reports: 1, from: '2026-11-19', to: '2026-11-19' },
      { version: 2, reports: 1, from: '2026-11-20', to: '2026-11-20' },
    ]);
  } finally {
    await running.close();
  }
});
