/** Bodies that cost more to take apart than to send are refused unread, with a key or without. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Collector, createCollector } from '@murmuration/collector';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Connections } from '#collector/server/http/connections.ts';
import { raw, schema } from '../../kit/senders.ts';

let folder: string;
let collector: Collector;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-bodies-'));
  collector = await createCollector({ open: true, schemas: [schema.document], data: folder, leastFree: 0 });
  url = await collector.listen(0, '127.0.0.1');
});

afterAll(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

test.each(['POST /v1/session', 'POST /v1/release/ask', 'POST /v1/reports', 'POST /nowhere', 'GET /livez', 'GET /'])(
  '%s with a body in chunks, each of which is work, is 411 and ends its connection',
  async (route) => {
    const chunked = `${route} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { answer } = await raw(url, `${chunked}${'1\r\n \r\n'.repeat(5_000)}2\r\n{}\r\n0\r\n\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 411 [\s\S]*connection: close[\s\S]*\{"error":"length-required"/i);
  },
);

test.each(['/v1/session', '/v1/release/ask', '/v1/release/preview', '/v1/release/streams'])(
  '%s takes no compressed body, which may be far larger than it looks',
  async (path) => {
    const json = JSON.stringify({ token: 'at_wrong' });
    for (const [coding, body] of [
      ['br', brotliCompressSync(json)],
      ['gzip', gzipSync(json)],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'content-encoding': coding };
      expect((await fetch(`${url}${path}`, { method: 'POST', body, headers })).status).toBe(415);
    }
  },
);

test('what comes after the answer that ends a connection is not parsed', async () => {
  const connections = new Connections();
  let chunks = 0;
  const server = createServer((request, response) => {
    request.on('data', () => chunks++);
    connections.begin(response, () => response.setHeader('connection', 'close').end());
  }).on('connection', (socket) => connections.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const post = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
  const { answer } = await raw(`http://127.0.0.1:${port}`, `${post}${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`);
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(chunks).toBeLessThan(1_000); // two slices at most
  server.close();
});
