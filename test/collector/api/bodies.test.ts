/**
 * Reports, sessions and reviews against the API's own description, in a collector that wants keys and tokens: every route is sent bodies
 * and parameters drawn from it, right and wrong ones, by readers of each role. What comes back is what the description says.
 */

import { parseBatch } from '@murmuration/collector';
import { MAX_REPORTS, REFUSALS } from '@murmuration/shared';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessAnswers } from '#collector/api/openapi/access.ts';
import { batch } from '#collector/api/openapi/reports.ts';
import type { Refusal } from '#collector/base/refusal.ts';
import { BATCH_ID } from '#collector/ingest/parse-batch.ts';
import { createToken, createWriteKey, ROLES } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { bodyOf, NOW, type Running, start } from '../../kit/app.ts';
import { anything, type Described, describedAt, expectRefusal, fitting, type JsonSchema, nearly, type Operation } from './described.ts';

let running: Running;
let api: Described;
let key: string;
const tokens = new Map<string, string>();

beforeAll(async () => {
  running = await start({ open: false, minimum: 1, access: { trustProxy: ['loopback'] } });
  const database = openAdminDatabase(running.folder);
  for (const role of ROLES) tokens.set(role, createToken(database, 'test', `the-${role}`, role, []).secret);
  key = createWriteKey(database, 'test', 'notes').secret;
  database.close();
  running.collector.admin.look();
  api = await describedAt(running.url, bearer('viewer'));
}, 60_000);
afterAll(() => running.close());

const bearer = (role: string): Record<string, string> => ({ authorization: `Bearer ${tokens.get(role)}` });
const JSON_TYPE = { 'content-type': 'application/json' };

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Requests come from addresses of their own, unless they say otherwise: else some of them would be too many. */
let sources = 0;

const operationOf = (method: string, path: string): Operation => api.paths[path]?.[method.toLowerCase()] as Operation;

/** Sends a request, and expects an answer that the description has: its status, and a refusal with one of the errors of that status. */
async function send(method: string, path: string, query: string, init: RequestInit): Promise<Sent> {
  const headers = { 'x-forwarded-for': `2001:db8:0:${(++sources).toString(16)}::1`, ...(init.headers as Record<string, string>) };
  const response = await fetch(`${running.url}${path}${query}`, { method, ...init, headers });
  const [text, about] = [await response.text(), `${method} ${path}${query} ${String(init.body).slice(0, 500)}`];
  const described = operationOf(method, path).responses[response.status];
  expect(described, `${about}: ${response.status} ${text}`).toBeDefined();
  if (response.status === 204) return { status: 204, headers: response.headers, body: {} };
  expect(response.headers.get('content-type'), about).toMatch(/^application\/json/);
  const body = JSON.parse(text) as Record<string, unknown>;
  if (response.status !== 200) {
    expectRefusal(text, about);
    const { enum: codes } = described?.content?.['application/json'].schema.properties?.['error'] ?? {};
    if (codes !== undefined) expect(codes, about).toContain(body['error']);
    if (described?.headers?.['Retry-After'] !== undefined) expect(response.headers.get('retry-after'), about).toMatch(/^[1-9]\d*$/);
  }
  return { status: response.status, headers: response.headers, body };
}

const schemaOf = (method: string, path: string): JsonSchema =>
  operationOf(method, path).requestBody?.content['application/json'].schema as JsonSchema;

/** Runs a property, and returns how often each status came. */
async function seen<T>(
  arbitrary: fc.Arbitrary<T>,
  run: (value: T) => Promise<number>,
  numRuns = 150,
): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(arbitrary, async (value) => {
    const status = await run(value);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns });
  return statuses;
}

/** A batch as a device sends it. */
const sample = async (): Promise<Record<string, unknown>> => JSON.parse(await bodyOf(1)) as Record<string, unknown>;

describe('POST /v1/reports', () => {
  const post = (body: string, query = `?key=${key}`): Promise<Sent> => send('POST', '/v1/reports', query, { body });

  test('what a device sends is taken, each time that it comes', async () => {
    const real = await sample();
    const ids = fc.stringMatching(BATCH_ID);
    const statuses = await seen(
      ids,
      async (id) => {
        const body = JSON.stringify({ ...real, batch: id });
        expect((await post(body)).status).toBe(204);
        return (await post(body)).status;
      },
      20,
    );
    expect([...statuses.keys()]).toEqual([204]);
  });

  test('bodies of the described form are never malformed, and others always are, with a described refusal', async () => {
    const form = schemaOf('POST', '/v1/reports');
    const real = await sample();
    const fits = fitting(form, api);
    // Half of them are of the schema that is published here, so that later checks are met, too.
    const bodies = fc.oneof(
      fits,
      fits.map((each) => ({ ...(each as object), schema: real['schema'], day: real['day'], segment: real['segment'] })),
      nearly(form, api),
      nearly(form, api).map((each) => (typeof each === 'object' && !Array.isArray(each) ? { ...each, schema: real['schema'] } : each)),
    );
    const statuses = await seen(
      bodies,
      async (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('__proto__')); // zod leaves this key of a record unchecked; the parser does not
        const { status, body } = await post(text);
        const isOfForm = batch.safeParse(JSON.parse(text)).success;
        expect([text, body['error'] === 'malformed']).toEqual([text, !isOfForm]);
        return status;
      },
      400,
    );
    for (const status of [400, 403]) expect(statuses.get(status)).toBeGreaterThan(0);
    expect(statuses.get(204)).toBeUndefined();
    const odd = JSON.stringify({ ...real, segment: JSON.parse('{"__proto__":1}') });
    expect((await post(odd)).body['error']).toBe('malformed');
  });

  test('bytes that are no JSON are malformed', async () => {
    const isNoJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    };
    const statuses = await seen(anything.filter(isNoJson), async (text) => (await post(text)).status, 40);
    expect([...statuses.keys()]).toEqual([400]);
  });

  test('every refusal that can be provoked from outside is the described one', async () => {
    const real = await sample();
    const text = JSON.stringify(real);
    expect((await post(text)).status).toBe(204);
    const days = (count: number): string => new Date(NOW + count * 86_400_000).toISOString().slice(0, 10);
    const errors = await Promise.all([
      post(text, ''),
      post(text, '?key=pk_wrong'),
      post(JSON.stringify({ ...real, schema: 'notes/2/0123456789abcdef' })),
      post(JSON.stringify({ ...real, day: days(2) })),
      post(JSON.stringify({ ...real, day: days(-15) })),
      post(JSON.stringify({ ...real, reports: [['absent', 'AQ']] })),
      post(JSON.stringify({ ...real, reports: [['plan', '!']] })),
      post(JSON.stringify({ ...real, segment: {} })),
      post(JSON.stringify({ ...real, reports: [...(real['reports'] as []), ...(real['reports'] as [])] })),
      post(JSON.stringify({ ...real, reports: Array.from({ length: MAX_REPORTS + 1 }, () => ['plan', 'AQ']) })),
      post(`${text} `),
      post('x'.repeat(70_000)),
    ]);
    expect(errors.map(({ body }) => body['error'])).toEqual([
      'unknown-key',
      'unknown-key',
      'unknown-schema',
      'future-day',
      'stale-day',
      'unknown-metric',
      'bad-report',
      'bad-segment',
      'too-many-reports',
      'malformed',
      'conflict',
      'too-large',
    ]);
  });

  test('every refusal of batches is described under its status, and no other', () => {
    const described = Object.entries(operationOf('POST', '/v1/reports').responses).flatMap(([status, { content }]) =>
      (content?.['application/json'].schema.properties?.['error']?.enum ?? []).map((code) => [code, Number(status)]),
    );
    expect(Object.fromEntries(described)).toEqual(REFUSALS);
  });

  test('the parser takes the described form from any schema, before it looks for that schema', async () => {
    fc.assert(
      fc.property(fitting(schemaOf('POST', '/v1/reports'), api), (value) => {
        expect(() => parseBatch(JSON.stringify(value), new Map(), 0)).toThrow(
          expect.objectContaining({ code: 'unknown-schema' } as Refusal),
        );
      }),
    );
  });
});

describe('/v1/session', () => {
  const post = (body: string, headers: Record<string, string> = JSON_TYPE): Promise<Sent> =>
    send('POST', '/v1/session', '', { body, headers });

  test('a token signs in; every other body is refused as described', async () => {
    for (const [role, token] of tokens) {
      const { status, headers } = await post(JSON.stringify({ token }));
      expect(status).toBe(204);
      const cookie = { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
      const { body } = await send('GET', '/v1/session', '', { headers: cookie });
      expect(accessAnswers.reader.parse(body)).toMatchObject({ who: `the-${role}`, role, by: 'session' });
      expect((await send('DELETE', '/v1/session', '', { headers: cookie })).status).toBe(204);
      expect((await send('GET', '/v1/session', '', { headers: cookie })).status).toBe(401);
    }
    const form = schemaOf('POST', '/v1/session');
    const wrong = fc.oneof(
      fitting(form, api).map((each) => JSON.stringify(each)),
      nearly(form, api).map((each) => JSON.stringify(each)),
      anything,
    );
    const statuses = await seen(wrong, async (text) => {
      const { status, headers } = await post(text);
      expect(headers.get('set-cookie')).toBeNull();
      return status;
    });
    expect([...statuses.keys()].sort()).toEqual([400, 401]);
    expect((await post('x'.repeat(2_000))).status).toBe(413);
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('{}', { ...JSON_TYPE, 'content-encoding': 'odd' })).status).toBe(415);
  });

  test('too many wrong tokens of one address are refused as described, wherever they come', async () => {
    const [nobody, same] = [{ authorization: 'Bearer at_wrong' }, { 'x-forwarded-for': '192.0.2.1' }];
    for (let i = 0; i < 10; i++) expect((await post('{"token":"at_wrong"}', { ...JSON_TYPE, ...same })).status).toBe(401);
    expect((await post('{"token":"at_wrong"}', { ...JSON_TYPE, ...same })).status).toBe(429);
    for (const [path, item] of Object.entries(api.paths))
      if (item['get'] !== undefined && item['get'].security?.length !== 0)
        expect([path, (await send('GET', path, '', { headers: { ...nobody, ...same } })).status]).toEqual([path, 429]);
  });

  test('signing out without a session does nothing', async () => {
    expect((await send('DELETE', '/v1/session', '', {})).status).toBe(204);
  });
});

/** The routes of reviewers and admins, with the schema of what they answer, and the first role that may read them. */
const REVIEW = [
  ['/v1/schemas', 'schemas', 'reviewer'],
  ['/v1/audit', 'audits', 'reviewer'],
  ['/v1/actions', 'actions', 'reviewer'],
  ['/v1/keys', 'keys', 'admin'],
] as const;

describe.each(REVIEW)('GET %s', (path, answer, least) => {
  test('answers those who may read it as described, whatever the query, and refuses the others as described', async () => {
    const parameters = operationOf('GET', path).parameters ?? [];
    const right = fc.record(Object.fromEntries(parameters.map(({ name, schema: each }) => [name, fitting(each, api)])), {
      requiredKeys: [],
    });
    const wrong = fc.dictionary(fc.oneof(anything, ...parameters.map(({ name }) => fc.constant(name))), anything, { maxKeys: 3 });
    const asked = fc.tuple(fc.oneof(right, wrong), fc.constantFrom(...ROLES, 'nobody'));
    const statuses = await seen(asked, async ([query, role]) => {
      const search = `?${new URLSearchParams(query as Record<string, string>)}`;
      const { status, body } = await send('GET', path, search, { headers: role === 'nobody' ? {} : bearer(role) });
      const may = role !== 'nobody' && ROLES.indexOf(role as (typeof ROLES)[number]) >= ROLES.indexOf(least);
      if (status === 200) accessAnswers[answer].parse(body);
      expect([search, role, status]).toEqual([search, role, may ? (status === 400 ? 400 : 200) : role === 'nobody' ? 401 : 403]);
      return status;
    });
    expect([...statuses.keys()].sort()).toEqual(path === '/v1/actions' ? [200, 400, 401, 403] : [200, 401, 403]);
    if (path === '/v1/actions') expect((await send('GET', path, '?limit=1', { headers: bearer(least) })).body['actions']).toHaveLength(1);
  });
});

/** The routes of an Express router and of those within it, as the description writes them. */
function routesOf(router: unknown): readonly string[] {
  const { stack = [] } = router as { readonly stack?: readonly Layer[] };
  return stack.flatMap(({ route, handle }) =>
    route === undefined
      ? routesOf(handle)
      : Object.keys(route.methods).map((method) => `${method} ${route.path.replace(/:(\w+)/g, '{$1}')}`),
  );
}

interface Layer {
  readonly route?: { readonly path: string; readonly methods: { readonly [method: string]: boolean } };
  readonly handle: unknown;
}

test('every route of the collector is described, but the probes and the description itself', () => {
  const described = Object.entries(api.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));
  const others = ['get /livez', 'get /readyz', 'get /metrics', 'get /v1/openapi.json', 'get /v1/docs'];
  expect([...new Set(routesOf(running.collector.router))].sort()).toEqual([...described, ...others].sort());
});
