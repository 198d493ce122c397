/** `/v1/release/streams` on both stores: who may open, ask, see and close; every answer and refusal is as described. */

import { parseBatch, publish } from '@murmuration/collector';
import { dayNumber, wireName } from '@murmuration/shared';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { streamAnswers } from '#collector/api/openapi/release-streams.ts';
import { withAdmin } from '#collector/cli/admin.ts';
import { createToken, type Role } from '#collector/storage/admin/credentials.ts';
import { openPostgresLedger } from '#collector/storage/postgres/release-ledger.ts';
import { openSqliteLedger } from '#collector/storage/sqlite/release-ledger.ts';
import { bodyOf, NOW, type Running, schema, start } from '../../../kit/app.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { anything, type Described, describedAt, expectRefusal } from '../../api/described.ts';
import { giveBudgets } from './table.ts';

const DEVICES = 40;

describe.each(['SQLite', 'PostgreSQL'] as const)('streams over HTTP on %s', (kind) => {
  let running: Running;
  let url: string | undefined;
  let api: Described;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    url = kind === 'PostgreSQL' ? await createDatabase() : undefined;
    running = await start({ open: false, perMetric: 1, ...(url !== undefined && { postgres: url, allowLoss: true }) });
    const people: readonly (readonly [string, Role, readonly string[]])[] = [
      ['ann', 'analyst', []],
      ['ben', 'analyst', []],
      ['eve', 'analyst', ['other']],
      ['rev', 'reviewer', []],
      ['adm', 'admin', []],
    ];
    await withAdmin({ data: running.folder, ...(url !== undefined && { postgres: url }) }, (database) => {
      for (const [name, role, apps] of people) tokens.set(name, createToken(database, 'test', name, role, apps).secret);
    });
    const ledger = url === undefined ? openSqliteLedger(running.folder) : openPostgresLedger({ postgres: url });
    await giveBudgets(ledger, '100', '60');
    await ledger.close();
    const schemas = new Map([[wireName(schema.document), publish(schema.document)]]);
    for (let i = 0; i < DEVICES; i++) {
      const batch = parseBatch(await bodyOf(i, i % 4 === 0 ? 'ios' : 'web'), schemas, dayNumber(NOW));
      expect(await running.collector.store.append({ ...batch, hash: `${i}`.padStart(16, '0') })).toBe('counted');
    }
    await vi.waitFor(
      () => {
        running.collector.admin.look();
        expect(running.collector.admin.tokenNamed('adm')).toBeDefined();
      },
      { timeout: 60_000 },
    );
    api = await describedAt(running.url, { authorization: `Bearer ${tokens.get('ann')}` });
  }, 120_000);
  afterAll(async () => {
    await running.close();
    if (url !== undefined) await dropDatabase(url);
  });

  interface Sent {
    readonly status: number;
    readonly body: Record<string, unknown>;
  }

  /** Sends a request, and expects an answer that the description has. */
  async function send(who: string, method: 'GET' | 'POST', path: string, body?: string, type = 'application/json'): Promise<Sent> {
    const headers = { authorization: `Bearer ${tokens.get(who)}`, ...(body !== undefined && { 'content-type': type }) };
    const response = await fetch(`${running.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    const route = path.replace(/\?.*/, '').replace(/streams\/(\d+|x)/, 'streams/{stream}');
    if (api !== undefined) {
      expect(api.paths[route]?.[method.toLowerCase()]?.responses[response.status], `${path} ${response.status} ${text}`).toBeDefined();
      if (response.status !== 200) expectRefusal(text, path);
    }
    return { status: response.status, body: JSON.parse(text) as Record<string, unknown> };
  }

  const stream = {
    ...{ app: 'notes', from: '2026-11-20', to: '2026-11-20', where: { metric: ['plan'] }, columns: ['platform', 'version'] },
    ...{ epsilon: '40', queries: 5, about: 100, hard: 3, mechanism: 'weights' },
  };
  const post = (who: string, path: string, body: object): Promise<Sent> =>
    send(who, 'POST', `/v1/release/streams${path}`, JSON.stringify(body));

  test('an analyst opens one for themselves, asks it, and sees it; others see and learn nothing', async () => {
    const preview = streamAnswers.preview.parse((await post('ann', '/preview', { stream })).body);
    expect(preview).toMatchObject({ analysts: ['ann'], left: 'ε 60', hard: 3, lasts: false, cost: { epsilon: '40' } });
    const opened = streamAnswers.opened.parse((await post('ann', '', { stream })).body);
    expect(opened).toMatchObject({ analysts: ['ann'], isRepeated: false, hardLeft: 3, openDays: 1 });
    // Noise of rate 4: beyond 20 with a probability of 2 e^-80.
    expect(Math.abs(opened.total - DEVICES)).toBeLessThan(20);
    expect((await post('ann', '', { stream })).body).toEqual({ ...opened, isRepeated: true });
    const where = { platform: ['ios'] };
    const answer = streamAnswers.answered.parse((await post('ann', `/${opened.stream}/ask`, { where })).body);
    expect(answer).toMatchObject({ kind: 'hard', hardLeft: 2, questionsLeft: 4, isRepeated: false });
    expect(Math.abs(answer.value - DEVICES / 4)).toBeLessThan(20);
    expect((await post('ann', `/${opened.stream}/ask`, { where })).body).toEqual({ ...answer, isRepeated: true });
    for (const who of ['ben', 'rev', 'adm', 'eve'])
      expect((await post(who, `/${opened.stream}/ask`, { where })).body).toMatchObject({
        error: 'bad-question',
        expected: `stream: the number of a stream that ${who} may ask, as the list of streams has it`,
      });
    const list = async (who: string) => streamAnswers.list.parse((await send(who, 'GET', '/v1/release/streams')).body).streams;
    expect((await list('ann')).map((each) => each.answered)).toEqual([1]);
    expect([await list('ben'), await list('eve')]).toEqual([[], []]);
    const shown = streamAnswers.show.parse((await send('rev', 'GET', `/v1/release/streams/${opened.stream}`)).body);
    expect(shown.answers.map(({ value }) => value)).toEqual([answer.value]);
    expect((await send('ben', 'GET', `/v1/release/streams/${opened.stream}`)).status).toBe(400);
    const all = await post('ann', `/${opened.stream}/ask`, {});
    const newest = async (text: string) => (await send('ann', 'GET', `/v1/release/streams/${opened.stream}?newest=${text}`)).body;
    expect(streamAnswers.show.parse(await newest('1')).answers).toMatchObject([{ where: {}, value: all.body['value'] }]);
    expect(streamAnswers.show.parse(await newest('9')).answers).toHaveLength(2);
    expect(await newest('0')).toMatchObject({ error: 'bad-question', expected: 'newest: a whole number from 1 to 99999' });
  });

  test('only an admin charges others; each of them may then ask, and only an admin closes it', async () => {
    const shared = { stream: { ...stream, epsilon: '20' }, analysts: ['ann', 'ben'] };
    expect((await post('ann', '', shared)).body).toMatchObject({ error: 'forbidden', expected: 'an admin, to charge other analysts' });
    expect((await post('ann', '/preview', shared)).status).toBe(403);
    const opened = streamAnswers.opened.parse((await post('adm', '', shared)).body);
    const first = await post('ann', `/${opened.stream}/ask`, { where: { platform: ['web'] } });
    expect((await post('ben', `/${opened.stream}/ask`, { where: { platform: ['web'] } })).body).toEqual({
      ...first.body,
      isRepeated: true,
    });
    expect((await post('adm', `/${opened.stream}/ask`, {})).status).toBe(400);
    expect((await send('ann', 'POST', `/v1/release/streams/${opened.stream}/close`)).body).toMatchObject({ error: 'forbidden' });
    const closed = streamAnswers.closed.parse((await send('adm', 'POST', `/v1/release/streams/${opened.stream}/close`)).body);
    expect(closed.ended).toBe('closed by adm');
    expect((await send('adm', 'POST', `/v1/release/streams/${opened.stream}/close`)).body).toMatchObject({ error: 'stream-over' });
    expect(await post('ben', `/${opened.stream}/ask`, {})).toMatchObject({
      status: 409,
      body: { error: 'stream-over', got: expect.stringContaining('closed by adm; its answers are kept') },
    });
  });

  test('what does not fit a budget is refused with what is left', async () => {
    const { status, body } = await post('ben', '', { stream: { ...stream, epsilon: '41' } });
    expect([status, body['error'], body['got']]).toEqual([403, 'over-budget', expect.stringContaining('the budget of ben, ε 40 a day')]);
  });

  test.each<[object, string]>([
    [{ stream: { ...stream, columns: ['city'] } }, 'columns: some of metric, version, platform, day'],
    [{ stream: { ...stream, queries: 0 } }, 'stream.queries: a whole number from 1'],
    [{ stream: { ...stream, mechanism: 'best' } }, 'stream.mechanism: one of median, weights'],
    [{ stream: { ...stream, about: 1 } }, 'a stream: a stated error below the number of reports, 1'],
    [{ stream: { ...stream, mechanism: undefined } }, 'use count with group-by over the same columns'],
    [{ stream, analysts: [] }, 'analysts: at least one analyst'],
    [{}, 'stream: an object with app, from, to, columns, epsilon, queries and about'],
  ])('%j is refused in one line', async (body, expected) => {
    for (const path of ['', '/preview']) {
      const { status, body: refusal } = await post('ann', path, body);
      expect([status, refusal['error'], refusal['expected']]).toEqual([400, 'bad-question', expect.stringContaining(expected)]);
    }
  });

  test('bodies that are none, of another type or too large, and numbers that are none, are refused', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        expect((await send('ann', 'POST', '/v1/release/streams', text)).status).toBe(400);
        expect((await send('ann', 'POST', '/v1/release/streams/1/ask', text)).status).toBe(400);
      }),
      { numRuns: 20 },
    );
    expect((await send('ann', 'POST', '/v1/release/streams', JSON.stringify({ stream }), 'text/plain')).status).toBe(415);
    expect((await post('ann', '', { stream: { ...stream, app: 'x'.repeat(300_000) } })).status).toBe(413);
    expect((await post('ann', '/x/ask', {})).body).toMatchObject({ error: 'bad-question', expected: 'stream: the number of a stream' });
  });
});
