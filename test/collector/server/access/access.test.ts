/** Access of readers: for each route and each role what it may, and nothing else; sessions, the proxy's header, the Host check, and reads apart. */

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { choice, defineSchema } from '@murmuration/client';
import { type Collector, type CollectorOptions, createCollector } from '@murmuration/collector';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Sessions } from '#collector/server/http/sessions.ts';
import { createToken, createWriteKey, ROLES, type Role, revokeCredential } from '#collector/storage/admin/credentials.ts';
import { ADMIN, openAdminDatabase } from '#collector/storage/admin/database.ts';
import { schema } from '../../../kit/senders.ts';
import { schema as strings } from '../../../kit/string-app.ts';
import { type Described, describedAt, leastRole } from '../../api/described.ts';

const other = defineSchema({
  app: 'other',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: { colour: choice(['red', 'blue'], { epsilon: 1, description: 'Which colour?' }) },
});

let folder: string;
let collector: Collector;
let url: string;
let firstToken: string | undefined;

async function open(options: Partial<CollectorOptions> = {}): Promise<void> {
  collector = await createCollector({ schemas: [schema.document, other.document, strings.document], data: folder, ...options });
  if (!options.open)
    collector.admin.announceFirst((token) => {
      firstToken = token;
    });
  url = await collector.listen(0, '127.0.0.1');
}

/** Changes the administration as a command does, from a connection of its own, and waits until the collector has seen it. */
function change<T>(work: (database: DatabaseSync) => T): T {
  const database = openAdminDatabase(folder);
  try {
    return work(database);
  } finally {
    database.close();
    collector.admin.look();
  }
}

const token = (name: string, role: Role, apps: readonly string[] = []): string =>
  change((database) => createToken(database, 'test', name, role, apps).secret);

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly [key: string]: unknown };
}

async function ask(path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { ...init, headers });
  const text = await response.text();
  expect(text).not.toContain(folder);
  expect(text).not.toContain('node_modules');
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

const signIn = (secret: unknown): Promise<Answer> =>
  ask('/v1/session', { 'content-type': 'application/json' }, { method: 'POST', body: JSON.stringify({ token: secret }) });

/** The cookie that an answer sets, as a browser sends it back. */
const cookieOf = ({ headers }: Answer): Record<string, string> => ({ cookie: headers.get('set-cookie')?.split(';')[0] ?? '' });

/** The status of a request with a Host of its own, which `fetch` does not allow. */
const statusWithHost = (host: string, path = '/v1/metrics', headers: Record<string, string> = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    request(`${url}${path}`, { headers: { ...headers, host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-access-'));
  firstToken = undefined;
});

afterEach(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

/** Every route for readers that is described, and the numbers of the collector: method, path and least role. */
const routesOf = ({ paths }: Described): readonly (readonly [method: string, path: string, least: Role])[] => [
  ['get', '/metrics', 'viewer'],
  ...Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => security === undefined)
      .map(([method, operation]) => [method, path.replaceAll(/\{\w+\}/g, 'plan'), leastRole(path, operation)] as const),
  ),
];

describe('a route and a role', () => {
  test('each role may use its routes and those of the roles below it, and nothing else; nobody else reads anything', async () => {
    let time = Date.now();
    await open({ now: () => (time += 60_000) }); // each request in a minute of its own, so that none is too many
    const secrets = ROLES.map((role) => [role, token(`the-${role}`, role)] as const);
    const routes = routesOf(await describedAt(url, bearer(token('reads', 'viewer'))));
    expect(new Set(routes.map(([, , least]) => least))).toEqual(new Set(ROLES));
    for (const [method, path, least] of routes) {
      const init = { method: method.toUpperCase(), ...(method === 'post' && { body: '{}' }) };
      const type = { 'content-type': 'application/json' };
      for (const [role, secret] of secrets) {
        const may = ROLES.indexOf(role) >= ROLES.indexOf(least);
        const { status, body, headers } = await ask(path, { ...bearer(secret), ...type }, init);
        const refused = ['forbidden', 'no-access', 'not-found'].find((error) => error === body['error']);
        expect([method, path, role, status < 500, refused]).toEqual([method, path, role, true, may ? undefined : 'forbidden']);
        expect(headers.get('cache-control')).toBe('no-store');
      }
      for (const headers of [{}, bearer('at_wrong'), bearer(''), { authorization: 'Basic YTpi' }, { cookie: 'murmuration=wrong' }]) {
        const { status, body, headers: answered } = await ask(path, { ...headers, ...type }, init);
        expect([method, path, headers, status, body['error']]).toEqual([method, path, headers, 401, 'no-access']);
        expect(answered.get('www-authenticate')).toBe('Bearer');
      }
    }
  });

  test('a route that does not exist says so to readers only, and the page needs no token', async () => {
    await open();
    expect((await ask('/v1/nothing')).status).toBe(401);
    expect((await ask('/v1/nothing', bearer(token('ann', 'viewer')))).status).toBe(404);
    for (const path of ['/', '/plan', '/questions/plan', '/releases.html', '/livez', '/readyz'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });

  test('a token of one app sees that app only, and no answer says that the other exists', async () => {
    await open();
    const secret = token('ann', 'admin', ['other']);
    change((database) => createWriteKey(database, 'test', 'abuse'));
    change((database) => createWriteKey(database, 'test', 'other'));
    const names = async (path: string, list: string, name: string): Promise<unknown> =>
      ((await ask(path, bearer(secret))).body[list] as { readonly [key: string]: unknown }[]).map((each) => each[name]);
    expect(await names('/v1/metrics', 'metrics', 'app')).toEqual(['other']);
    expect((await ask('/v1/metrics/colour/estimates', bearer(secret))).status).toBe(200);
    const hidden = await ask('/v1/metrics/plan/estimates', bearer(secret));
    const absent = await ask('/v1/metrics/absent/estimates', bearer(secret));
    expect([hidden.status, hidden.body['error']]).toEqual([absent.status, absent.body['error']]);
    expect(await names('/v1/schemas', 'schemas', 'schema')).toEqual([other.wire]);
    expect(await names('/v1/audit', 'audits', 'schema')).toEqual([other.wire]);
    expect(await names('/v1/keys', 'keys', 'name')).toEqual(['ann', 'other']);
    expect(new Set((await names('/v1/actions', 'actions', 'app')) as string[])).toEqual(new Set(['other']));
  });

  test('the audit of a large schema keeps nobody waiting', async () => {
    const answers = Array.from({ length: 60 }, (_, i) => `answer ${i}`) as unknown as [string, string];
    const question = choice(answers, { epsilon: 1, description: 'Which?' });
    const metrics = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`m${i}`, question]));
    const large = defineSchema({ app: 'large', version: 1, budget: { epsilon: 600, per: 'month' }, metrics });
    await open({ open: true, schemas: [large.document] });
    const order: string[] = [];
    const audit = ask('/v1/audit').then(({ status }) => order.push(`audit ${status}`));
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      await ask('/livez');
      order.push('alive');
    }
    await audit;
    expect(order.at(-1)).toBe('audit 200');
    await ask('/v1/audit');
  });

  test('an open collector gives every read to everybody, and takes batches without a key', async () => {
    await open({ open: true });
    for (const [method, path] of routesOf(await describedAt(url)))
      if (method === 'get') expect([401, 403], path).not.toContain((await ask(path)).status);
    expect(firstToken).toBeUndefined();
    expect((await ask('/v1/session')).body).toMatchObject({ by: 'open' });
  });
});

describe('tokens', () => {
  test('the first start makes one admin token, and the second none', async () => {
    await open();
    const first = firstToken ?? '';
    expect(first).toMatch(/^at_[\w-]{43}$/);
    expect((await ask('/v1/keys', bearer(first))).status).toBe(200);
    firstToken = undefined;
    await collector.close();
    await open();
    expect(firstToken).toBeUndefined();
    expect((await ask('/v1/keys', bearer(first))).status).toBe(200);
  });

  test('a revoked token is refused at once, with its sessions', async () => {
    await open();
    const secret = token('ann', 'viewer');
    const cookie = cookieOf(await signIn(secret));
    expect((await ask('/v1/metrics', cookie)).status).toBe(200);
    change((database) => revokeCredential(database, 'test', 'ann'));
    expect((await ask('/v1/metrics', bearer(secret))).status).toBe(401);
    expect((await ask('/v1/metrics', cookie)).status).toBe(401);
  });

  test('a token is on no disk, only its hash, in a file that nobody else may read', async () => {
    await open();
    const secret = token('ann', 'viewer');
    const files = readdirSync(folder).filter((name) => name.startsWith(ADMIN));
    expect(files).toContain(ADMIN);
    for (const name of files) {
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
      expect(readFileSync(join(folder, name)).includes(secret)).toBe(false);
    }
  });

  test('a file that was restored with the rights of others is for its owner only after the next start', async () => {
    await open();
    await collector.close();
    chmodSync(join(folder, ADMIN), 0o644);
    await open();
    for (const name of readdirSync(folder).filter((each) => each.startsWith(ADMIN)))
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  test('a file that can no longer be read is told once in ten minutes, and what was in force stays', async () => {
    const lines: string[] = [];
    await open({ log: pino({}, { write: (line) => void lines.push(line) }) });
    const secret = token('ann', 'viewer');
    const database = new DatabaseSync(join(folder, ADMIN));
    database.exec("INSERT INTO credential (name, role, apps, created) VALUES ('eve', 'admin', 'everything', 1)");
    for (let i = 0; i < 5; i++) collector.admin.look();
    expect((await ask('/v1/metrics', bearer(secret))).status).toBe(200);
    expect(lines.filter((line) => line.includes('admin.sqlite could not be read'))).toHaveLength(1);
    database.exec("DELETE FROM credential WHERE name = 'eve'");
    database.close();
  });

  test('what was done is in the log, and nobody can change or delete a line of it', async () => {
    await open();
    token('ann', 'viewer', ['other']);
    change((database) => revokeCredential(database, 'test', 'ann'));
    const { body } = await ask('/v1/actions?limit=2', bearer(firstToken ?? ''));
    expect(body['actions']).toMatchObject([
      { who: 'test', what: 'revoked ann', app: 'other' },
      { who: 'test', what: 'created viewer token ann for other', app: 'other' },
    ]);
    const [, created] = body['actions'] as { readonly n: number; readonly what: string }[];
    expect((await ask(`/v1/actions?before=${created?.n}`, bearer(firstToken ?? ''))).body['actions']).toMatchObject([
      { who: 'first start' },
      { who: 'command line', what: 'created a store in this folder' },
    ]);
    expect(JSON.stringify(body)).not.toContain('at_');
    const database = new DatabaseSync(join(folder, ADMIN));
    expect(() => database.exec("UPDATE action SET who = 'nobody'")).toThrow('append-only');
    expect(() => database.exec('DELETE FROM action')).toThrow('append-only');
    database.close();
    for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?before=-1', '?colour=red'])
      expect([query, (await ask(`/v1/actions${query}`, bearer(firstToken ?? ''))).status]).toEqual([query, 400]);
  });
});

describe('sessions', () => {
  test('signing in with a token gives a cookie that no script and no other site can use, and signing out ends it', async () => {
    await open();
    const answer = await signIn(token('ann', 'reviewer', ['other']));
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^murmuration=[\w-]{43}; Max-Age=604800; Path=\/; Expires=[^;]*; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(answer);
    expect((await ask('/v1/session', cookie)).body).toEqual({ who: 'ann', role: 'reviewer', apps: ['other'], by: 'session' });
    expect((await ask('/v1/session', cookie, { method: 'DELETE' })).status).toBe(204);
    expect((await ask('/v1/metrics', cookie)).body).toMatchObject({ error: 'no-access', got: 'a session that has ended' });
  });

  test('over https, as a trusted proxy says, the cookie is Secure and bound to the host', async () => {
    await open({ access: { trustProxy: ['loopback'] } });
    const secret = token('ann', 'viewer');
    const https = { 'x-forwarded-proto': 'https' };
    const answer = await ask(
      '/v1/session',
      { ...https, 'content-type': 'application/json' },
      { method: 'POST', body: JSON.stringify({ token: secret }) },
    );
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-murmuration=[\w-]{43}; .*Path=\/; .*HttpOnly; Secure; SameSite=Strict$/);
    expect((await ask('/v1/metrics', { ...https, ...cookieOf(answer) })).status).toBe(200);
  });

  test('who signs in again and again ends sessions of their own token only', async () => {
    await open();
    const sessions = new Sessions();
    const kept = sessions.begin('ann', 0);
    const oldest = sessions.begin('bob', 0);
    for (let i = 0; i < 20_000; i++) sessions.begin('bob', 0);
    expect([sessions.tokenOf(kept, 0), sessions.tokenOf(oldest, 0)]).toEqual(['ann', undefined]);
  });

  test('a session ends after twelve hours without use, and after seven days', async () => {
    let clock = Date.now();
    await open({ now: () => clock });
    const cookie = cookieOf(await signIn(token('ann', 'viewer')));
    const hours = async (some: number): Promise<number> => {
      clock += some * 3_600_000;
      return (await ask('/v1/metrics', cookie)).status;
    };
    for (let i = 0; i < 16; i++) expect(await hours(10)).toBe(200);
    expect(await hours(10)).toBe(401);
    const another = cookieOf(await signIn(token('ben', 'viewer')));
    clock += 13 * 3_600_000;
    expect((await ask('/v1/metrics', another)).status).toBe(401);
  });

  test.each([
    ['a wrong token', 'application/json', '{"token":"at_wrong"}', 401],
    ['no token', 'application/json', '{}', 400],
    ['a number', 'application/json', '{"token":1}', 400],
    ['another key', 'application/json', '{"token":"at_wrong","next":"//evil.example"}', 400],
    ['no JSON', 'application/json', '{', 400],
    ['a form, as another site could send it', 'application/x-www-form-urlencoded', 'token=at_wrong', 415],
    ['plain text', 'text/plain', '{"token":"at_wrong"}', 415],
    ['too much', 'application/json', JSON.stringify({ token: 'x'.repeat(2_000) }), 413],
  ])('%s does not sign in', async (_what, type, body, status) => {
    await open();
    const answer = await ask('/v1/session', { 'content-type': type }, { method: 'POST', body });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('a proxy in front', () => {
  test('its header names the user, who reads what the settings say and no more', async () => {
    await open({ access: { trustProxy: ['loopback'], authHeader: 'X-Remote-User', authRole: 'reviewer' } });
    const ann = { 'x-remote-user': 'ann@example.com' };
    expect((await ask('/v1/session', ann)).body).toEqual({ who: 'ann@example.com', role: 'reviewer', apps: [], by: 'proxy' });
    expect((await ask('/v1/keys', ann)).status).toBe(403);
    expect((await ask('/v1/metrics', { 'x-remote-user': '' })).status).toBe(401);
  });

  test('from anywhere else the header means nothing', async () => {
    await open({ access: { trustProxy: ['10.0.0.0/8'], authHeader: 'X-Remote-User' } });
    expect((await ask('/v1/metrics', { 'x-remote-user': 'ann' })).status).toBe(401);
    expect((await ask('/v1/metrics', { 'x-remote-user': 'ann', 'x-forwarded-for': '10.0.0.1' })).status).toBe(401);
  });
});

describe('the Host of a read', () => {
  test('a name that is not listed is refused, so that no page can rebind its own name to this machine', async () => {
    await open({ open: true, access: { allowHosts: ['T.example.com'] } });
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 't.example.com.evil.example', '[evil]', ''])
      for (const path of ['/v1/metrics', '/'])
        expect([host, await statusWithHost(host, path)]).toEqual([host, host === '' ? expect.any(Number) : 421]);
    for (const host of [
      'localhost',
      'localhost:8080',
      'a.localhost',
      '127.0.0.1',
      '192.0.2.1:80',
      '[::1]:8080',
      't.example.com',
      'T.EXAMPLE.com:443',
      't.example.com.',
    ])
      expect([host, await statusWithHost(host)]).toEqual([host, 200]);
  });

  test('what a stranger says that the proxy was asked for does not count', async () => {
    await open({ open: true });
    expect(await statusWithHost('evil.example', '/v1/metrics', { 'x-forwarded-host': 'localhost' })).toBe(421);
  });

  test('a page that was rebound to the machine of a trusted proxy can neither forward a Host nor name a user', async () => {
    await open({ access: { trustProxy: ['loopback'], authHeader: 'X-Remote-User', allowHosts: ['t.example.com'] } });
    const user = { 'x-remote-user': 'ann' };
    for (const path of ['/v1/metrics', '/metrics', '/']) {
      expect(await statusWithHost('evil.example', path, { ...user, 'x-forwarded-host': 'localhost' })).toBe(421);
      expect(await statusWithHost('localhost', path, { ...user, 'x-forwarded-host': 'evil.example' })).toBe(421);
      expect(await statusWithHost('127.0.0.1:8080', path, { ...user, 'x-forwarded-host': 't.example.com' })).toBe(200);
    }
  });

  test('the numbers of an open collector are for listed names only, and a program with a token may use any', async () => {
    await open({ open: true });
    expect(await statusWithHost('evil.example', '/metrics')).toBe(421);
    expect(await statusWithHost('evil.example', '/livez')).toBe(200);
    await collector.close();
    await open();
    const secret = token('prometheus', 'viewer');
    expect(await statusWithHost('murmuration:8080', '/metrics', bearer(secret))).toBe(200);
  });
});

describe('reads apart', () => {
  test('the one port takes batches only, and the other answers reads only', async () => {
    await open({ open: true, readsApart: true });
    const reads = await collector.listenForReads(0, '127.0.0.1');
    expect(new URL(reads).port).not.toBe(new URL(url).port);
    for (const path of ['/v1/metrics', '/v1/session', '/metrics', '/']) {
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
      expect([path, (await fetch(`${reads}${path}`)).status]).toEqual([path, 200]);
    }
    expect((await fetch(`${reads}/v1/reports`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await ask('/v1/reports', {}, { method: 'POST', body: '{}' })).status).toBe(400);
    for (const path of ['/livez', '/readyz'])
      expect([(await ask(path)).status, (await fetch(`${reads}${path}`)).status]).toEqual([200, 200]);
  });
});
