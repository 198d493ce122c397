/** A real Caddy in front of the example's relay, with the files beside it: messages pass, and nothing is written about a request. */

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startRelay } from '../../examples/relay/relay.ts';
import { freePort, replaced, start } from './deployed.ts';

const file = (name: string): string => readFileSync(new URL(`../../examples/relay/${name}`, import.meta.url), 'utf8');

test('Caddy passes messages on to the relay, and neither says where they came from', async () => {
  const heard: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const gateway = createServer(async (request, response) => {
    heard.push({ headers: request.headers, body: String(await buffer(request)) });
    response.writeHead(200, { 'content-type': 'message/ohttp-res' }).end('an answer');
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  onTestFinished(() => {
    gateway.closeAllConnections();
    gateway.close();
  });
  const target = { gateway: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1/relay`, token: 'rt_x' };
  const relay = await startRelay({ '/notes': target });
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'murmuration-relay-')), await freePort()];
  const site = replaced(
    file('Caddyfile'),
    ['log default {', 'admin off\n\tlog default {'],
    ['relay.example {', `http://127.0.0.1:${port} {`],
    ['relay:8070', relay.address.replace('http://', '')],
  );
  writeFileSync(join(folder, 'Caddyfile'), site);
  const homes = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const caddy = start('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], homes);
  onTestFinished(async () => {
    await caddy.stop();
    rmSync(folder, { recursive: true });
  });
  const send = (body: string, path = '/notes'): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers: { 'content-type': 'message/ohttp-req' } });
  await expect.poll(() => send('', '/nowhere').then(({ status }) => status, String)).toBe(404);
  const before = caddy.said();

  const answered = await send('a message');
  expect([answered.status, await answered.text()]).toEqual([200, 'an answer']);
  expect(heard).toHaveLength(1);
  expect(heard[0]?.body).toBe('a message');
  const { host: _host, connection: _connection, ...told } = heard[0]?.headers ?? {};
  expect(Object.keys(told).filter((name) => /forward|real-ip|via|client/i.test(name))).toEqual([]);
  expect(told).toMatchObject({ authorization: 'Bearer rt_x', 'content-type': 'message/ohttp-req' });
  expect([413, 502]).toContain((await send('x'.repeat(65_537))).status); // the relay refuses it unread, which Caddy may not hear
  expect(heard).toHaveLength(1);
  await relay.close();
  expect((await send('a message')).status).toBe(502);
  expect(caddy.said()).toBe(before);
});

test('compose runs it without privileges and without a log, behind Caddy', () => {
  const { services } = parse(file('compose.yaml'));
  expect(services.relay).toMatchObject({ read_only: true, cap_drop: ['ALL'], logging: { driver: 'none' }, user: 'node' });
  expect(services.relay.expose).toEqual(['8070']);
  expect(services.relay.ports).toBeUndefined(); // devices reach it by Caddy alone
  expect(file('Caddyfile')).toContain('reverse_proxy relay:8070');
  for (const name of ['relay.ts', 'relay.json']) expect(services.relay.volumes).toContain(`./${name}:/relay/${name}:ro`);
});
