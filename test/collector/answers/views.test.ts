/** Estimates in the database's tables: one collector claims and computes each metric, and they are what the API answers. */

import { choice, defineSchema } from '@murmuration/client';
import { type Collector, createCollector } from '@murmuration/collector';
import { dayText } from '@murmuration/shared';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDecoding } from '#collector/answers/decode-thread.ts';
import { createEstimating } from '#collector/answers/estimates-thread.ts';
import { type About, claim, giveBack, mark, readDue, write } from '#collector/answers/views/claims.ts';
import { type Estimated, type EstimateRow, spansOf, storable } from '#collector/answers/views/rows.ts';
import { createKeeper, type Keeper } from '#collector/answers/views/views.ts';
import { type Catalog, createCatalog } from '#collector/schemas/catalog.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { bodyOf, NOW, read, schema, sendTo } from '../../kit/app.ts';
import { createDatabase, dropDatabase } from '../../setup/postgres.ts';
import { execute } from '../../setup/postgres-server.ts';

const TODAY = Math.floor(NOW / 86_400_000);
const catalog = createCatalog([schema.document]);
const candidates = { home: ['page 0', 'page 1', 'page 9'] };

let url: string;
let collector: Collector;
let address: string;
beforeEach(async () => {
  url = await createDatabase();
  const options = { open: true, allowLoss: true, minimum: 1, now: () => NOW, candidates };
  const log = pino({ level: 'error' }); // what fails inside is told
  collector = await createCollector({ ...options, log, schemas: [schema.document], postgres: url });
  address = await collector.listen(0, '127.0.0.1');
});
afterEach(async () => {
  await collector.close();
  await dropDatabase(url);
});

/** Runs work with so many keepers of the tables, each with the services of a collector. */
async function withKeepers<T>(
  count: number,
  work: (keepers: readonly Keeper[]) => Promise<T>,
  catalogOf: () => Catalog = () => catalog,
): Promise<T> {
  const services = Array.from({ length: count }, () => {
    const lists = new Map(Object.entries(candidates));
    const estimating = createEstimating({ store: collector.store, candidates: lists });
    const decoding = createDecoding({ store: collector.store, totals: estimating.totals, candidates: lists });
    const parts = { estimating, decoding, totals: estimating.totals, candidates: lists, minimum: 1 };
    return { estimating, decoding, keeper: createKeeper({ ...parts, source: { postgres: url }, catalogOf }) };
  });
  try {
    return await work(services.map(({ keeper }) => keeper));
  } finally {
    for (const { keeper, estimating, decoding } of services) {
      await keeper.close();
      await Promise.all([estimating.close(), decoding.close()]);
    }
  }
}

const send = async (from: number, to: number, daysAgo: (device: number) => number): Promise<void> =>
  sendTo(
    address,
    await Promise.all(Array.from({ length: to - from }, (_, i) => bodyOf(from + i, i % 2 === 0 ? 'web' : 'ios', daysAgo(i)))),
  );

/** Lets the time of every metric come. */
const letCome = (): Promise<unknown> => execute(url, 'UPDATE murmuration.estimated SET due = now(), claimed = now()');

const rowsOf = (metric: string, span: string): Promise<readonly (readonly unknown[])[]> =>
  execute(
    url,
    `SELECT first_day::text, last_day::text, answer, unit, estimate, standard_error, low, high, reports::integer
      FROM murmuration.bi_estimates WHERE metric = '${metric}' AND span = '${span}' ORDER BY first_day, position`,
  );

interface Rows {
  readonly from: string;
  readonly to: string;
  readonly reports: number;
  readonly unit?: 'value';
  readonly answers: readonly { readonly [name in 'label' | 'estimate' | 'standardError' | 'low' | 'high']: unknown }[];
}

/** Rows of the tables as the API's answer says them. */
const asRows = ({ from, to, reports, unit, answers }: Rows): readonly (readonly unknown[])[] =>
  answers.map(({ label, estimate, standardError, low, high }) => [
    ...[from, to, label, unit ?? 'share', estimate, standardError, low, high],
    reports,
  ]);

test('two collectors compute each metric once, and the rows are what the API answers', async () => {
  await send(0, 40, (i) => i % 5);
  await withKeepers(2, async (keepers) => {
    const written = await Promise.all(keepers.map((each) => each.look()));
    expect(written.reduce((sum, count) => sum + count, 0)).toBe(7);
    const metrics = await execute(
      url,
      'SELECT metric, reports::integer, outcome, last_day::text FROM murmuration.bi_metrics ORDER BY metric',
    );
    expect(metrics.map(([metric]) => metric)).toEqual(Object.keys(schema.document.metrics).sort());
    for (const [, reports, outcome, last] of metrics) {
      expect([reports, last]).toEqual([40, dayText(TODAY)]);
      expect(outcome).toMatch(/^(estimated|not-enough-data|no-candidates)$/);
    }
    for (const metric of ['plan', 'dark', 'speed', 'constructor']) {
      const { body } = await read<Rows>(`${address}/v1/metrics/${metric}/estimates`);
      expect(await rowsOf(metric, 'all')).toEqual(asRows(body));
      const { body: series } = await read<{ readonly unit?: 'value'; readonly points: readonly Rows[] }>(
        `${address}/v1/metrics/${metric}/series`,
      );
      expect(await rowsOf(metric, 'day')).toEqual(
        series.points.flatMap((point) => asRows({ ...point, ...(series.unit && { unit: series.unit }) })),
      );
    }
    const spread = await rowsOf('spread', 'all');
    expect(spread.filter(([, , , unit]) => unit === 'value').map(([, , answer]) => answer)).toEqual([
      'mean',
      ...[0.05, 0.25, 0.5, 0.75, 0.95].map((level) => `quantile ${level}`),
    ]);
    const { body: home } = await read<{ readonly found: number }>(`${address}/v1/metrics/home/decode`);
    expect((await rowsOf('home', 'all')).length).toBe(home.found);
  });
});

test('nothing is computed without new reports, and only rows that have changed are written', async () => {
  await send(0, 20, (i) => i % 3);
  await withKeepers(1, async ([keeper]) => {
    expect(await keeper?.look()).toBe(7);
    await letCome();
    expect(await keeper?.look()).toBe(0);
    const rows = (day: number) =>
      execute(url, `SELECT xmin::text FROM murmuration.estimate WHERE metric = 'plan' AND span = 'day' AND first_day = '${dayText(day)}'`);
    const before = [await rows(TODAY), await rows(TODAY - 2)];
    await send(20, 30, () => 0);
    await execute(url, "UPDATE murmuration.estimated SET due = now() + interval '1 hour'");
    expect(await keeper?.look()).toBe(0); // their time has not come
    await letCome();
    await expect.poll(() => letCome().then(() => keeper?.look()), { interval: 500 }).toBeGreaterThan(0); // totals may be seconds old
    await letCome();
    await keeper?.look();
    expect(await rows(TODAY)).not.toEqual(before[0]);
    expect(await rows(TODAY - 2)).toEqual(before[1]);
  });
});

test('rows of a law that no longer counts disappear, and return when it counts again', async () => {
  await send(0, 20, () => 0);
  const next = defineSchema({
    ...{ app: 'notes', version: 2, budget: { epsilon: 100, per: 'month' }, segments: { platform: ['web', 'ios'] } },
    metrics: { plan: choice(['free', 'pro', 'team'], { epsilon: 2, every: 'week', description: 'Which plan?' }) },
  });
  let current = catalog;
  const told = (): Promise<unknown> =>
    execute(
      url,
      `SELECT version::integer, epsilon, reports::integer, first_day::text, outcome, watch FROM murmuration.bi_metrics WHERE metric = 'plan'`,
    );
  await withKeepers(
    1,
    async ([keeper]) => {
      expect(await keeper?.look()).toBe(7);
      expect(await rowsOf('plan', 'all')).toHaveLength(3);
      current = createCatalog([schema.document, next.document]);
      await letCome();
      expect(await keeper?.look()).toBe(1);
      expect(await told()).toEqual([[2, 2, 0, null, 'too-few-reports', 1]]);
      for (const span of ['all', 'day']) expect(await rowsOf('plan', span)).toEqual([]);
      await letCome();
      expect(await keeper?.look()).toBe(0);
      current = catalog;
      await letCome();
      expect(await keeper?.look()).toBe(1);
      expect(await rowsOf('plan', 'all')).toHaveLength(3);
    },
    () => current,
  );
});

test('a metric that never had reports has no row', async () => {
  await withKeepers(1, async ([keeper]) => expect(await keeper?.look()).toBe(0));
  expect(await execute(url, 'SELECT metric FROM murmuration.bi_metrics')).toEqual([]);
});

test('a collector with the option keeps the tables by itself, and without a database it is refused', async () => {
  await send(0, 20, () => 0);
  const options = { open: true, allowLoss: true, minimum: 1, now: () => NOW, views: true };
  await expect(createCollector({ ...options, schemas: [schema.document], data: '/nowhere' })).rejects.toThrow(
    'views: expected postgres, too, got none',
  );
  const other = await createCollector({ ...options, schemas: [schema.document], postgres: url });
  await expect.poll(() => execute(url, 'SELECT count(*)::integer FROM murmuration.bi_metrics'), { interval: 200 }).toEqual([[7]]);
  await other.close();
});

describe('claims', () => {
  const about: About = {
    ...{ app: 'notes', metric: 'plan', version: 1, type: 'choice', mechanism: 'k-ary', epsilon: 1 },
    ...{ description: 'Which\0plan?', minimum: 1 },
  };
  const row = (position: number, estimate: number): EstimateRow => ({
    ...{ span: 'all', from: '2026-11-20', to: '2026-11-20', answer: `${position}`, position, unit: 'share', estimate },
    ...{ standardError: 0.1, low: 0, high: 1, reports: 9 },
  });
  const estimated = (...rows: readonly EstimateRow[]): Estimated => ({
    columns: { reports: 9, from: '2026-11-20', to: '2026-11-20', outcome: 'estimated', watch: 0.5 },
    rows,
  });
  const stored = (): Promise<unknown> => execute(url, 'SELECT answer, estimate FROM murmuration.bi_estimates ORDER BY position');

  let one: Database;
  let other: Database;
  beforeEach(() => {
    [one, other] = [1, 2].map(() => new Database({ postgres: url }, { connections: 2, isGuarded: false })) as [Database, Database];
  });
  afterEach(() => Promise.all([one.close(), other.close()]));

  /** A claim that must be there. */
  const sure = <T>(found: T | undefined): T => {
    if (found === undefined) throw new Error('expected a claim, got none');
    return found;
  };

  test('of many who claim a metric at once, one gets it', async () => {
    await mark(one, [about]);
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => claim(i % 2 === 0 ? one : other, about, 'a')));
    const [mine, ...others] = all.filter((each) => each !== undefined);
    expect([mine?.about, others]).toEqual([about, []]);
    expect(await readDue(one)).toEqual(new Map());
    expect(await write(one, sure(mine), 'a', estimated(row(0, 0.5), row(1, 0.25)), 0)).toBe(true);
    expect(await stored()).toEqual([
      ['0', 0.5],
      ['1', 0.25],
    ]);
    expect(await readDue(other)).toEqual(new Map([['notes/plan', 'a']]));
    expect(await claim(other, about, 'a')).toBeUndefined(); // nothing is new
  });

  test('who is late writes nothing, and rows that are gone are deleted', async () => {
    await mark(one, [about]);
    const late = await claim(one, about, 'a');
    await execute(url, "UPDATE murmuration.estimated SET claimed = now() - interval '1 second'");
    expect(await write(one, sure(late), 'a', estimated(row(0, 1)), 0)).toBe(false);
    const next = await claim(other, about, 'a');
    expect(await write(one, sure(late), 'a', estimated(row(0, 1)), 0)).toBe(false);
    expect(await write(other, sure(next), 'a', estimated(row(0, 0.5), row(1, 0.25)), 0)).toBe(true);
    const again = await claim(one, about, 'b');
    expect(await write(one, sure(again), 'b', estimated(row(0, 0.75)), 60)).toBe(true);
    expect(await stored()).toEqual([['0', 0.75]]);
    expect(await claim(other, about, 'c')).toBeUndefined(); // its time has not come
  });

  test('a claim that is given back can be taken when its time comes, and what nobody publishes goes', async () => {
    await mark(one, [about]);
    const mine = await claim(one, about, 'a');
    await giveBack(one, sure(mine), 60);
    expect(await claim(other, about, 'a')).toBeUndefined();
    await giveBack(one, sure(mine), 0);
    const next = await claim(other, about, 'a');
    expect(await write(other, sure(next), 'a', estimated(row(0, 0.5)), 0)).toBe(true);
    await execute(url, "UPDATE murmuration.estimated SET seen = now() - interval '23 hours'");
    await mark(one, []);
    expect(await stored()).toEqual([['0', 0.5]]);
    await execute(url, "UPDATE murmuration.estimated SET seen = now() - interval '25 hours'");
    await mark(one, [{ ...about, metric: 'home' }]);
    expect(await stored()).toEqual([]);
  });
});

test('weeks and months are whole, and series go back so far', () => {
  const friday = TODAY; // 2026-11-20
  const text = (days: readonly { readonly from: number; readonly to: number }[]): readonly string[] =>
    days.map(({ from, to }) => `${dayText(from)}..${dayText(to)}`);
  expect(text(spansOf({ from: friday - 1, to: friday }, 'day'))).toEqual(['2026-11-19..2026-11-19', '2026-11-20..2026-11-20']);
  expect(text(spansOf({ from: friday - 7, to: friday }, 'week'))).toEqual(['2026-11-09..2026-11-15', '2026-11-16..2026-11-22']);
  expect(text(spansOf({ from: friday - 25, to: friday }, 'month'))).toEqual(['2026-10-01..2026-10-31', '2026-11-01..2026-11-30']);
  const long = { from: friday - 1_000, to: friday };
  expect([spansOf(long, 'day').length, spansOf(long, 'week').length, spansOf(long, 'month').length]).toEqual([92, 53, 34]);
  expect(spansOf(long, 'day').at(-1)).toEqual({ from: friday, to: friday });
});

test('texts are stored without what PostgreSQL can not hold', () => {
  expect(storable('a\0b\ud800c')).toBe('a\ufffdb\ufffdc');
});
