/** `doctor` before real collectors that are right or wrong in one way: it names what is wrong and how to fix it, and leaves no report. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema } from '@murmuration/client';
import { type Collector, createCollector } from '@murmuration/collector';
import { wireName } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DoctorOptions, examine } from '#client/node/command/doctor.ts';
import { type Finding, inWords } from '#client/node/command/finding.ts';
import { policiesOf, refusing } from '#client/node/command/policy.ts';
import { createWriteKey } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { schema } from '../kit/senders.ts';
import { runProcess } from '../setup/command.ts';

const { document } = schema;
const changed = (version: number): DoctorOptions['schema'] =>
  defineSchema({
    app: document.app,
    version,
    budget: { epsilon: 2, per: 'month' },
    metrics: { plan: choice(['free', 'pro'], { epsilon: 0.5, description: 'Which plan?' }) },
  }).document;

let folder: string;
let collector: Collector;
let late: Collector;
let url: string;
let key: string;
let others: string;
let page: string;
let strict: string;
const servers: Server[] = [];

/** A server that answers with a status, headers and a body, or with what it gets from the collector. */
async function listen(status: number, headers: { readonly [name: string]: string }, from?: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = request.method === 'POST' ? Buffer.concat(await request.toArray()) : null;
    const { origin } = request.headers;
    const answer = from && (await fetch(from + request.url, { method: request.method ?? '', body, headers: origin ? { origin } : {} }));
    response.writeHead(answer ? answer.status : status, headers).end(answer ? await answer.text() : '<!doctype html><title>Notes</title>');
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-doctor-'));
  page = await listen(200, {});
  strict = await listen(200, { 'content-security-policy': "default-src 'none'; connect-src 'self'" });
  collector = await createCollector({ schemas: [document], data: join(folder, 'right'), origins: [page, strict] });
  url = await collector.listen(0, '127.0.0.1');
  const now = (): number => Date.now() - 40 * 86_400_000;
  late = await createCollector({ schemas: [document], data: join(folder, 'late'), open: true, now });
  const database = openAdminDatabase(join(folder, 'right'));
  key = createWriteKey(database, 'test', document.app).secret;
  others = createWriteKey(database, 'test', 'other').secret;
  database.close();
  collector.admin.look();
});
afterAll(async () => {
  await collector.close();
  await late.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const faults = (findings: readonly Finding[]): readonly Finding[] => findings.filter(({ state }) => state === 'fault');
/** The parts with faults, and all that was said. */
async function said(endpoint: string, options: DoctorOptions = {}) {
  const findings = await examine(endpoint, { schema: document, file: 'schema.ts', key, ...options });
  return { parts: faults(findings).map(({ part }) => part), words: inWords(findings) };
}

test('a right collector has no fault, and no report is counted', async () => {
  const { parts, words } = await said(`${url}/`, { origin: page });
  expect(parts).toEqual([]);
  for (const part of ['server', 'version', 'clock', 'schema', 'key', 'origin', 'cors', 'csp', 'size'])
    expect(words).toMatch(new RegExp(`^ok +${part} `, 'm'));
  expect((await collector.store.read({ schemas: [wireName(document)], metric: 'plan' })).reports).toBe(0);
});

describe('a fault is named, and how to fix it', () => {
  test.each([
    ['no key', () => ({ key: undefined }), 'key', 'keys create --app NAME'],
    ['a key of another app', () => ({ key: others }), 'key', `one of other`],
    ['an access token', () => ({ key: 'at_1234567890' }), 'key', 'revoke it'],
    ['an origin that may not report', () => ({ origin: 'http://127.0.0.1:9' }), 'origin', '--origin http://127.0.0.1:9'],
    ['a page whose policy forbids it', () => ({ origin: strict }), 'csp', 'to connect-src'],
    ['a schema of a later version', () => ({ schema: changed(9) }), 'schema', 'schemas publish schema.ts'],
    ['a schema that changed under its version', () => ({ schema: changed(document.version) }), 'schema', 'have changed since'],
  ] as const)('%s', async (_, options, part, fix) => {
    const { parts, words } = await said(url, options());
    expect(parts).toEqual([part]);
    expect(words).toContain(fix);
  });

  test('another server', async () => {
    const nginx = await listen(405, { server: 'nginx/1.26', 'content-type': 'text/html' });
    expect(await said(nginx)).toEqual({ parts: ['server'], words: expect.stringContaining('got 405 from nginx/1.26') });
    expect(await said(await listen(204, {}))).toEqual({ parts: ['server'], words: expect.stringContaining('reports would be lost') });
    const moved = await listen(301, { location: 'https://t.example.com/v1/reports' });
    expect(await said(moved)).toEqual({ parts: ['server'], words: expect.stringContaining('devices follow no redirect') });
  });

  test('a server that is off, or a name without address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await said(`http://127.0.0.1:${port}`)).toEqual({
      parts: ['server'],
      words: expect.stringContaining('no program listens there'),
    });
    expect((await said('http://murmuration.invalid')).parts).toEqual(['server']);
  });

  test('a clock that is wrong, of the collector or of the server before it; headers that a proxy takes away', async () => {
    const behind = await late.listen(0, '127.0.0.1');
    expect(await said(behind)).toEqual({ parts: ['clock'], words: expect.stringContaining('(future-day)') });
    const proxy = await listen(0, { date: new Date(Date.now() - 3_600_000).toUTCString() }, url);
    const { parts, words } = await said(proxy, { origin: page });
    expect(parts).toEqual(['clock', 'cors']);
    expect(words).toMatch(/the server is 3[56]\d\d s behind/);
  });

  test('a bundle for developers, or with an access token', async () => {
    const text = `fetch('${url}'); '${wireName(document)}'`;
    writeFileSync(join(folder, 'right.js'), text);
    writeFileSync(join(folder, 'wrong.js'), `${text}; 'While you develop'; 'at_${'x'.repeat(24)}'`);
    expect((await said(url, { bundle: join(folder, 'right.js') })).parts).toEqual([]);
    const { parts, words } = await said(url, { bundle: join(folder, 'wrong.js') });
    expect(parts).toEqual(['bundle', 'bundle']);
    expect(words).not.toContain('x'.repeat(24));
  });
});

test('the command reads a schema in TypeScript, and exits with 1 on a fault and 2 on wrong usage', () => {
  writeFileSync(join(folder, 'schema.json'), JSON.stringify({ document }));
  const ran = runProcess('doctor', 'http://127.0.0.1:9', '--schema', join(folder, 'schema.json'));
  expect(ran).toMatchObject({ status: 1, stdout: expect.stringMatching(/^FAULT server[\s\S]*^ok +size/m) });
  expect(runProcess('doctor', '/telemetry')).toMatchObject({ status: 2, stderr: expect.stringContaining('expected one address') });
});

describe('the policy of a page', () => {
  const collectors = new URL('https://t.example.com/v1/reports');
  const from = new URL('https://app.example.com/notes');
  test.each([
    ['', true],
    ["script-src 'self'", true],
    ["default-src 'self'", false],
    ["default-src 'none'; connect-src https://t.example.com", true],
    ["connect-src 'self'; connect-src *", false],
    ['connect-src https:', true],
    ['connect-src http:', true],
    ['connect-src *.example.com', true],
    ['connect-src example.com', false],
    ['connect-src http://t.example.com', true],
    ['connect-src t.example.com:8443', false],
    ['connect-src t.example.com:*', true],
    ['connect-src https://t.example.com/v1/', true],
    ['connect-src https://t.example.com/other', false],
    ["connect-src 'none'", false],
    ['connect-src', false],
  ])('%s: %s', (policy, allowed) => {
    const policies = policiesOf(new Headers({ 'content-security-policy': policy }), '');
    expect(refusing(policies, collectors, from) === undefined).toBe(allowed);
  });

  test('is in meta elements, too, and all of them hold', () => {
    const meta = `<meta content="connect-src 'self'" http-equiv=" x"><META http-equiv="Content-Security-Policy" content="connect-src 'self'">`;
    expect(refusing(policiesOf(new Headers({ 'content-security-policy': 'connect-src *' }), meta), collectors, from)).toEqual(["'self'"]);
  });
});
