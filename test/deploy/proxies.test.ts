/** A real nginx and a real Caddy with TLS in front of a real collector, with the files of docs/deploy. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collector, createCollector } from '@murmuration/collector';
import { wireName } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TIMEOUTS } from '#collector/server/http/server.ts';
import { createToken, createWriteKey } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { batch, schema } from '../kit/senders.ts';
import { deployed, freePort, program, type Running, replaced, start } from './deployed.ts';

const NAME = 't.example.com';

let folder: string;
let collector: Collector;
let upstream: string;
let port: number;
let plainPort: number;
let proxy: Running;
/** Where batches go, with the app's key. */
let reports: string;
let token: string;

const inFolder = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-proxy-'));
  chmodSync(folder, 0o755); // workers of nginx are other users
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', inFolder('key.pem')];
  execFileSync(program('openssl'), ['req', '-x509', ...key, '-out', inFolder('cert.pem'), '-days', '2', ...subject], { stdio: 'ignore' });
  // As in murmuration.json, and with users whom the proxy may name.
  const access = { trustProxy: ['loopback'], allowHosts: [NAME], authHeader: 'X-Remote-User' };
  const timeouts = { ...TIMEOUTS, idle: 75_000 };
  collector = await createCollector({ schemas: [schema.document], data: inFolder('data'), leastFree: 0, access, timeouts });
  const database = openAdminDatabase(inFolder('data'));
  reports = `/v1/reports?key=${createWriteKey(database, 'test', 'abuse').secret}`;
  token = createToken(database, 'test', 'reader', 'viewer', []).secret;
  database.close();
  collector.admin.look();
  upstream = (await collector.listen(0, '127.0.0.1')).replace('http://', '');
  [port, plainPort] = [await freePort(), await freePort()];
});

afterEach(async () => {
  await proxy.stop();
  await collector.close();
  rmSync(folder, { recursive: true });
});

/** Starts nginx. @param ofReports a line more in the location of batches */
function startNginx(ofReports = ''): Running {
  const site = replaced(
    deployed('nginx.conf'),
    ['^/v1/reports/?$ {', `^/v1/reports/?$ { ${ofReports}`],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['/etc/letsencrypt/live/t.example.com/fullchain.pem', inFolder('cert.pem')],
    ['/etc/letsencrypt/live/t.example.com/privkey.pem', inFolder('key.pem')],
    ['server 127.0.0.1:8080;', `server ${upstream};`],
    ['/var/log/nginx/murmuration.log', inFolder('nginx.log')],
    ['/var/www/html', inFolder('html')],
  );
  writeFileSync(inFolder('site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${inFolder(kind)};`);
  const main = `daemon off; pid ${inFolder('nginx.pid')}; worker_processes 1; events { worker_connections 4096; } http { ${temporary.join(' ')} include ${inFolder('site.conf')}; }`;
  writeFileSync(inFolder('nginx.conf'), main);
  return start('nginx', ['-e', inFolder('start.log'), '-c', inFolder('nginx.conf')]);
}

function startCaddy(): Running {
  const site = replaced(deployed('Caddyfile'), [
    `${NAME} {`,
    `{\n\tadmin off\n\tauto_https disable_redirects\n}\nhttps://${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${inFolder('cert.pem')} ${inFolder('key.pem')}`,
  ]);
  writeFileSync(inFolder('Caddyfile'), site);
  const homes = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, COLLECTOR: upstream };
  return start('caddy', ['run', '--config', inFolder('Caddyfile'), '--adapter', 'caddyfile'], homes);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request over TLS to the proxy, under the name of the certificate. */
const ask = (path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const address = { host: '127.0.0.1', port, servername: NAME, ca: readFileSync(inFolder('cert.pem')) };
    const sent = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const outgoing = request(
      { ...address, path, method: body === undefined ? 'GET' : 'POST', headers: { host: NAME, ...sent, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    outgoing.on('error', reject).end(body);
  });

const untilUp = (): Promise<void> =>
  expect
    .poll(() =>
      ask('/').then(
        ({ status }) => status,
        (error: Error) => error.message,
      ),
    )
    .toBe(200);

const counted = async (): Promise<number> => (await collector.store.read({ schemas: [wireName(schema.document)], metric: 'plan' })).reports;

describe.each([
  ['nginx', () => startNginx()],
  ['Caddy', startCaddy],
])('behind %s', (_name, startProxy) => {
  test('batches are counted over TLS, pages are served, numbers are kept inside, and large bodies are not read', async () => {
    proxy = startProxy();
    await untilUp();
    expect((await ask(reports, batch())).status).toBe(204);
    expect((await ask('/v1/reports', batch())).status).toBe(403);
    expect(await counted()).toBe(1);
    const page = await ask('/');
    expect([page.body, page.headers['strict-transport-security']]).toEqual([
      expect.stringContaining('<!doctype html>'),
      'max-age=31536000',
    ]);
    for (const path of ['/metrics', '/livez', '/readyz', '/METRICS', '/metrics/', '/Livez', '/readyz/', '/%72eadyz', '//metrics'])
      expect((await ask(path)).status, path).toBe(404);
    for (const path of ['/V1/reports', '/v1/Reports', '/v1/reports/']) {
      const { status } = await ask(reports.replace('/v1/reports', path), batch());
      expect([404, 401], path).toContain(status);
    }
    expect(await counted()).toBe(1);
    expect([413, 502]).toContain((await ask(reports, 'x'.repeat(70_000))).status); // Caddy answers 502 where it has cut a body
    expect(await ask(reports, 'nonsense')).toMatchObject({ status: 400, body: expect.stringContaining('"malformed"') });
  });
});

describe.each([
  ['nginx', () => startNginx()],
  ['Caddy', startCaddy],
])('readers behind %s', (_name, startProxy) => {
  test('need a token, and their session is bound to the host and to https', async () => {
    proxy = startProxy();
    await untilUp();
    expect((await ask('/v1/metrics')).status).toBe(401);
    expect((await ask('/v1/metrics', undefined, { 'x-remote-user': 'kim' })).status).toBe(401); // nobody names themselves
    expect((await ask('/v1/metrics', undefined, { authorization: `Bearer ${token}` })).status).toBe(200);
    const { status, headers } = await ask('/v1/session', JSON.stringify({ token }), { 'content-type': 'application/json' });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect([status, cookie]).toEqual([204, expect.stringMatching(/^__Host-murmuration=.*HttpOnly; Secure; SameSite=Strict/)]);
    expect((await ask('/v1/metrics', undefined, { cookie: cookie.split(';')[0] as string })).status).toBe(200);
  });
});

test('nginx sends pages to https, and asks those who send too much to come later, in a way that pages can read', async () => {
  proxy = startNginx();
  await untilUp();
  const plain = await fetch(`http://127.0.0.1:${plainPort}/x`, { redirect: 'manual', headers: { host: NAME } });
  expect([plain.status, plain.headers.get('location')]).toEqual([308, 'https://127.0.0.1/x']);
  mkdirSync(inFolder('html/.well-known/acme-challenge'), { recursive: true });
  writeFileSync(inFolder('html/.well-known/acme-challenge/token'), 'proof');
  const challenge = await fetch(`http://127.0.0.1:${plainPort}/.well-known/acme-challenge/token`, { headers: { host: NAME } });
  expect([challenge.status, await challenge.text()]).toEqual([200, 'proof']);
  const answers = await Promise.all(Array.from({ length: 400 }, () => ask(reports, batch())));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 429]));
  for (const { headers } of answers) expect(headers['access-control-allow-origin']).toBe('*');
  expect(await counted()).toBe(answers.filter(({ status }) => status === 204).length);
  for (const path of ['/v1/reports/', '/V1/Reports', '/v1/%72eports', '//v1/reports']) {
    const others = await Promise.all(Array.from({ length: 300 }, () => ask(reports.replace('/v1/reports', path), batch())));
    expect(others.map(({ status }) => status)).toContain(429); // the limit is for all spellings together
  }
});

test('nginx adds a key for apps that send none, by the line of docs/operations.md, and nothing to others', async () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, line = ''] = /`(if \(\$arg_key[^`]+)`/.exec(page) ?? [];
  const [, key = ''] = reports.split('key=');
  proxy = startNginx(replaced(line, ['pk_...', key]));
  await untilUp();
  const { status, headers } = await ask('/v1/reports', batch());
  expect([status, headers['access-control-allow-origin']]).toEqual([204, '*']);
  for (const query of ['?key=', '?other=1']) expect((await ask(`/v1/reports${query}`, batch())).status).toBe(204);
  expect((await ask(reports, batch())).status).toBe(204);
  expect((await ask('/v1/reports?key=pk_another', batch())).status).toBe(403);
  expect(await counted()).toBe(4);
  const answers = await Promise.all(Array.from({ length: 300 }, () => ask('/v1/reports', batch())));
  expect(answers.map((answer) => answer.status)).toContain(429); // the limit of the location holds
});
