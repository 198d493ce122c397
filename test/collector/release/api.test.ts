/** `/v1/release`: an analyst asks over HTTP, sees their own answers and nothing that is exact; every answer and refusal is as described. */

import { parseBatch, publish } from '@murmuration/collector';
import { dayNumber, wireName } from '@murmuration/shared';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { releaseAnswers } from '#collector/api/openapi/release.ts';
import { parseAmount } from '#collector/release/budget/amount.ts';
import { setBudget, setTable } from '#collector/release/budget/budgets.ts';
import { createToken, type Role } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { openSqliteLedger } from '#collector/storage/sqlite/release-ledger.ts';
import { bodyOf, NOW, type Running, schema, start } from '../../kit/app.ts';
import { anything, type Described, describedAt, expectRefusal } from '../api/described.ts';

const DEVICES = 40;
let running: Running;
let api: Described;
const tokens = new Map<string, string>();

const epsilon = (text: string) => ({ unit: 'epsilon', amount: parseAmount(text, 'epsilon') }) as const;

beforeAll(async () => {
  running = await start({ open: false, perMetric: 1 });
  const database = openAdminDatabase(running.folder);
  const people: readonly (readonly [string, Role, readonly string[]])[] = [
    ['ann', 'analyst', []],
    ['ben', 'analyst', []],
    ['eve', 'analyst', ['other']],
    ['rev', 'reviewer', []],
  ];
  for (const [name, role, apps] of people) tokens.set(name, createToken(database, 'test', name, role, apps).secret);
  database.close();
  running.collector.admin.look();
  const ledger = openSqliteLedger(running.folder);
  await setTable(ledger, 'test', 'notes', { limit: epsilon('3'), colluders: 'all', batchesPerDay: 8 });
  for (const name of ['ann', 'ben', 'eve']) await setBudget(ledger, 'test', 'notes', name, epsilon('2'));
  await ledger.close();
  const { store } = running.collector;
  const schemas = new Map([[wireName(schema.document), publish(schema.document)]]);
  for (let i = 0; i < DEVICES; i++) {
    const body = await bodyOf(i, i % 4 === 0 ? 'ios' : 'web');
    const batch = parseBatch(body, schemas, dayNumber(NOW));
    expect(await store.append({ ...batch, hash: `${i}`.padStart(16, '0') })).toBe('counted');
  }
  api = await describedAt(running.url, { authorization: `Bearer ${tokens.get('ann')}` });
}, 60_000);
afterAll(() => running.close());

interface Sent {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Sends a request, and expects an answer that the description has. */
async function send(who: string, path: string, body?: string, type = 'application/json'): Promise<Sent> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { authorization: `Bearer ${tokens.get(who)}`, ...(body !== undefined && { 'content-type': type }) };
  const response = await fetch(`${running.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  expect(api.paths[path]?.[method.toLowerCase()]?.responses[response.status], `${path} ${response.status} ${text}`).toBeDefined();
  if (response.status !== 200) expectRefusal(text, path);
  return { status: response.status, body: JSON.parse(text) as Record<string, unknown> };
}

const count = { kind: 'count', epsilon: '1.5', groupBy: ['platform'] };
const question = { app: 'notes', from: '2026-11-20', to: '2026-11-20', where: { metric: ['plan'] }, measures: [count] };
const ask = (who: string, more: object = {}, also: object = {}): Promise<Sent> =>
  send(who, '/v1/release/ask', JSON.stringify({ question: { ...question, ...more }, ...also }));

describe('an analyst', () => {
  test('sees the tables with their columns and the analyst’s own budget; a reviewer sees all budgets', async () => {
    const { body } = await send('ann', '/v1/release/tables');
    expect(releaseAnswers.tables.parse(body)).toMatchObject({
      tables: [
        {
          app: 'notes',
          bound: 7,
          batchesPerDay: 8,
          colluders: 'all',
          budgets: [{ analyst: 'ann', limit: { unit: 'epsilon', amount: '2' } }],
        },
      ],
    });
    const all = (await send('rev', '/v1/release/tables')).body as { readonly tables: readonly { readonly budgets: readonly unknown[] }[] };
    expect(all.tables[0]?.budgets).toHaveLength(4);
    expect((await send('eve', '/v1/release/tables')).body).toEqual({ tables: [] });
  });

  test('is told the cost and the error before anything is spent', async () => {
    const { body } = await send('ann', '/v1/release/preview', JSON.stringify({ question }));
    expect(releaseAnswers.preview.parse(body)).toMatchObject({
      bound: 1,
      days: 1,
      cost: { epsilon: '1.5', rho: expect.any(String) },
      left: 'ε 2',
    });
  });

  test('is answered within the stated error, and again for free; nobody else gets that answer for free', async () => {
    const first = await ask('ann');
    expect(first.status).toBe(200);
    const answer = releaseAnswers.answer.parse(first.body);
    expect(answer).toMatchObject({ analyst: 'ann', isRepeated: false, perDevice: { epsilon: '1.5' } });
    // Noise of rate 3/2: beyond 20 with a probability below e^-30 a cell.
    for (const { values, value } of answer.results[0]?.cells ?? [])
      expect(Math.abs(value - (values['platform'] === 'ios' ? DEVICES / 4 : (3 * DEVICES) / 4))).toBeLessThan(20);
    expect((await ask('ann')).body).toEqual({ ...first.body, isRepeated: true });
    expect((await ask('ann', { measures: [{ ...count, epsilon: '1' }] })).body).toEqual({ ...first.body, isRepeated: true });
    const other = await ask('ben');
    expect([other.status, (other.body as { isRepeated: boolean }).isRepeated]).toEqual([200, false]);
  });

  test('is refused with what is left beyond the budget, and beyond what colluding analysts may have', async () => {
    expect(await ask('ann', { measures: [{ ...count, epsilon: '0.6', groupBy: ['version'] }] })).toEqual({
      status: 403,
      body: {
        error: 'over-budget',
        expected: 'a question within the budget',
        got: 'expected a question within what is left of the budget of ann, ε 0.5 a day, got one of ε 0.6; nothing was spent',
      },
    });
    const { status, body } = await ask('ben', { measures: [{ ...count, epsilon: '0.5', groupBy: ['version'] }] });
    expect([status, body['got']]).toEqual([403, expect.stringContaining('the budget of the table of notes, ε 0 a day')]);
    expect((await ask('rev')).body['got']).toContain('an analyst with a budget on notes, got rev without one');
  });

  test('may ask about another day although this one is spent', async () => {
    expect((await ask('ann', { from: '2026-11-19', to: '2026-11-19' })).status).toBe(200);
    expect((await ask('ann', { from: '2026-11-19', to: '2026-11-20', measures: [{ ...count, epsilon: '0.51' }] })).status).toBe(403);
  });

  test('gets days with the error of ranges before, and as CSV where that is accepted', async () => {
    const days = { ...question, from: '2026-11-10', to: '2026-11-18', measures: [{ kind: 'days', epsilon: '0.5' }] };
    const { body } = await send('ann', '/v1/release/preview', JSON.stringify({ question: days }));
    expect((body as { errors: { error: { ranges: object } }[] }).errors[0]?.error.ranges).toEqual({
      mean: expect.any(Number),
      worst: expect.any(Number),
    });
    const accepting = async (accept: string, asked: object): Promise<readonly [number, string, string]> => {
      const headers = { authorization: `Bearer ${tokens.get('ann')}`, 'content-type': 'application/json', accept };
      const response = await fetch(`${running.url}/v1/release/ask`, { method: 'POST', headers, body: JSON.stringify({ question: asked }) });
      return [response.status, response.headers.get('content-type') ?? '', await response.text()];
    };
    const described = api.paths['/v1/release/ask']?.['post']?.responses['200'] as unknown as { readonly content: object };
    expect(Object.keys(described.content)).toEqual(['application/json', 'text/csv']);
    const [status, type, text] = await accepting('text/csv', days);
    expect([status, type]).toEqual([200, 'text/csv; charset=utf-8']);
    const rows = text.trimEnd().split('\r\n');
    expect([rows.length, rows[0], rows[1]?.split(',')[0]]).toEqual([10, 'day,value,standardError', '2026-11-10']);
    const answer = releaseAnswers.answer.parse((await ask('ann', days)).body);
    expect(answer).toMatchObject({ isRepeated: true });
    expect(answer.results[0]?.cells?.map(({ value }) => `${value}`)).toEqual(rows.slice(1).map((row) => row.split(',')[1]));
    const [json] = [await accepting('*/*', days)];
    expect(json[1]).toContain('application/json');
    const chosen = await accepting('text/csv', { ...days, measures: [{ kind: 'mostUsed', epsilon: '0.1', column: 'platform' }] });
    expect(chosen[0]).toBe(400);
    expectRefusal(chosen[2], 'one value as CSV');
  });

  test('gets shares with their ranges, and an association with its blocks, both as they are described', async () => {
    const early = { from: '2026-10-01', to: '2026-10-09' };
    const share = { kind: 'share', epsilon: '0.5', column: 'platform', values: ['ios'], groupBy: ['day'], about: 40 };
    const association = { kind: 'association', epsilon: '0.5', columns: ['platform', 'day'], about: 100_000 };
    const asked = { ...early, measures: [share, association] };
    const { body } = await send('ann', '/v1/release/preview', JSON.stringify({ question: { ...question, ...asked } }));
    expect(releaseAnswers.preview.parse(body).errors.map(({ error }) => error)).toMatchObject([
      { mechanism: 'quotient of geometric cells' },
      { mechanism: 'sample and aggregate', blocks: { count: 128, reports: 781 } },
    ]);
    const { results } = releaseAnswers.answer.parse((await ask('ann', asked)).body);
    expect(results.map(({ cells = [] }) => cells.length)).toEqual([9, 1]);
    for (const { value, low = 2, high = -1 } of results[0]?.cells ?? [])
      expect([0 <= low, low <= value, value <= high, high <= 1]).not.toContain(false);
    const few = await ask('ann', { ...early, measures: [{ ...association, about: 40 }] });
    expect([few.status, few.body['expected'], few.body['got']]).toEqual([400, expect.stringContaining('for each of 128 blocks'), '40']);
  });

  test('gets a synthetic table where noise for each cell would err more, and else is told what to ask instead', async () => {
    const measure = { kind: 'synthetic', epsilon: '0.01', columns: ['day', 'version', 'platform'], about: 5 };
    const table = { from: '2026-11-01', to: '2026-11-18', measures: [measure] };
    const answer = releaseAnswers.answer.parse((await ask('ann', table)).body);
    expect(answer.results[0]?.table).toMatchObject({ mechanism: 'BLR', total: expect.any(Number), within: expect.any(Number) });
    expect(answer.results[0]?.cells).toHaveLength(18 * 2);
    const refused = await ask('ann', { ...table, measures: [{ ...measure, about: 100_000 }] });
    expect([refused.status, refused.body['error'], refused.body['expected']]).toEqual([
      400,
      'bad-question',
      expect.stringContaining('use count with group-by day, platform, version instead'),
    ]);
  });

  test('sees their own answers, and a reviewer those of all', async () => {
    const mine = releaseAnswers.answers.parse((await send('ann', '/v1/release/answers')).body) as {
      readonly answers: readonly { analyst: string }[];
    };
    expect(new Set(mine.answers.map(({ analyst }) => analyst))).toEqual(new Set(['ann']));
    const all = (await send('rev', '/v1/release/answers')).body as typeof mine;
    expect(new Set(all.answers.map(({ analyst }) => analyst))).toEqual(new Set(['ann', 'ben']));
    expect((await send('eve', '/v1/release/answers')).body).toEqual({ answers: [] });
  });

  test('for other apps does not learn whether this one has a table', async () => {
    expect((await ask('eve')).body).toMatchObject({
      error: 'bad-question',
      expected: expect.stringContaining('app: one of the published apps'),
      got: '"notes"',
    });
  });

  test('is refused days that retention may have added up by now, whatever reports have come', async () => {
    const { status, body } = await ask('ann', { from: '2025-09-30', to: '2025-09-30' });
    expect([status, body['expected']]).toEqual([400, expect.stringContaining('a day from 2025-10-01')]);
    expect((await ask('ann', { from: '2025-10-01', to: '2025-10-01' })).status).toBe(200);
  });
});

describe('what is refused', () => {
  test.each<[object, string]>([
    [{ where: { city: ['Bern'] } }, 'where.city: one of the columns metric, version, platform'],
    [{ measures: [{ ...count, epsilon: '0' }] }, 'measures.0.epsilon: a number above 0, such as 0.1 or 1/3'],
    [{ measures: [{ kind: 'sum', epsilon: '1', column: 'version' }] }, 'question.measures.0.low: a whole number'],
    [{ measures: [] }, 'measures: at least one measurement'],
    [{ from: '2026-11-21' }, 'from: a day up to 2026-11-20'],
    [{ measures: undefined, partition: { by: 'platform', parts: {} } }, 'partition.parts: at least one part'],
  ])('%j in one line', async (more, expected) => {
    const { status, body } = await ask('ann', more);
    expect([status, body['error'], body['expected']]).toEqual([400, 'bad-question', expect.stringContaining(expected)]);
  });

  test('bodies that are no question, of another type, or too large', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        expect((await send('ann', '/v1/release/ask', text)).status).toBe(400);
      }),
      { numRuns: 40 },
    );
    expect((await send('ann', '/v1/release/ask', JSON.stringify({ question }), 'text/plain')).status).toBe(415);
    expect((await send('ann', '/v1/release/preview', JSON.stringify({ question: { ...question, app: 'x'.repeat(300_000) } }))).status).toBe(
      413,
    );
  });
});
