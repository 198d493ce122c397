/** Many requests on one connection: a few are answered at once, the others wait, and a sender who leaves early leaves nothing behind. */

import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collector, createCollector } from '@murmuration/collector';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connections } from '#collector/server/http/connections.ts';
import { createHttpServer, TIMEOUTS } from '#collector/server/http/server.ts';
import { batch, head, raw, report, schema } from '../../kit/senders.ts';

let folder: string;
let collector: Collector;
let url: string;
let lines: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-pipelining-'));
  lines = [];
  const log = pino({ timestamp: false }, { write: (line: string) => void lines.push(line) });
  collector = await createCollector({ open: true, schemas: [schema.document], data: folder, leastFree: 0, log });
  url = await collector.listen(0, '127.0.0.1');
});

afterEach(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Files, sockets and the like that this process has open. */
const descriptors = (): number => readdirSync('/proc/self/fd').length;

/** The files of the page that its HTML names. */
async function filesOfPage(): Promise<readonly string[]> {
  const html = await (await fetch(`${url}/`)).text();
  return [...html.matchAll(/(?:src|href)="\.(\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path as string);
}

test('a sender who leaves within a body is refused once, and that is no failure', async () => {
  const { port } = new URL(url);
  const asked = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.end(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{`),
      );
      socket
        .on('data', (bytes) => (answer += bytes))
        .on('close', () => resolve(answer))
        .on('error', reject);
    });
  const answers = await Promise.all(
    ['/v1/report', '/metrics', '/v1/metrics', '/v1/nowhere'].flatMap((path) => Array(25).fill(path)).map(asked),
  );
  for (const answer of answers) expect(answer.split('HTTP/1.1 4')).toHaveLength(2);
  expect(lines.filter((line) => line.includes('a request failed'))).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'no route leaves a descriptor open when its sender leaves before the answers',
  async () => {
    const routes = ['/', ...(await filesOfPage()), '/releases.html', '/livez', '/metrics', '/v1/metrics', '/v1/docs', '/v1/openapi.json'];
    routes.push('/v1/metrics/plan/estimates', '/v1/schemas', '/v1/audit', '/.well-known/murmuration.json', '/nowhere');
    for (const route of routes) {
      const before = descriptors();
      for (let i = 0; i < 3; i++) {
        const { socket, answer } = await raw(url, get(route).repeat(500));
        await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
        socket.resetAndDestroy();
        await answer;
      }
      // A thread that begins meanwhile opens a few.
      await expect.poll(() => [route, descriptors() - before < 20]).toEqual([route, true]);
    }
  },
  60_000,
);

describe('a connection', () => {
  /** Requests that were begun and not answered, and the most of them. */
  let open = 0;
  let most = 0;
  let begun = 0;
  const answers: (() => void)[] = [];
  const server = createHttpServer(
    (_request, response) => {
      most = Math.max(most, ++open);
      begun++;
      answers.push(() => {
        open--;
        response.end('x');
      });
    },
    { ...TIMEOUTS, write: 60_000 },
  );

  test('has at most four requests under way, takes the others in order when these are answered, and parses no more than it needs', async () => {
    const { port } = await server.listen(0, '127.0.0.1');
    const { socket, answer } = await raw(`http://127.0.0.1:${port}`, get('/').repeat(1_000));
    await expect.poll(() => begun).toBe(4);
    // Another connection's request does not wait behind them.
    const { socket: other, answer: second } = await raw(`http://127.0.0.1:${port}`, get('/'));
    await expect.poll(() => begun).toBe(5);
    answers.splice(-1)[0]?.();
    await expect.poll(() => other.bytesRead).toBeGreaterThan(0);
    other.end();
    await second;
    while (begun < 1_001) {
      for (const each of answers.splice(0)) each();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    for (const each of answers.splice(0)) each();
    socket.end();
    expect((await answer).match(/HTTP\/1\.1 200/g)).toHaveLength(1_000);
    expect(most).toBe(5);
    await server.close();
  });
});

test('what follows a body in the same write is parsed in slices, too', async () => {
  const connections = new Connections();
  let parsed = 0;
  const server = createServer((request, response) => {
    parsed++;
    request.resume();
    connections.begin(response, () => {}); // no answer, so no more than four are under way
  }).on('connection', (socket) => connections.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { socket } = await raw(`http://127.0.0.1:${port}`, head(20_000) + 'x'.repeat(20_000) + get('/').repeat(1_000));
  await expect.poll(() => parsed).toBeGreaterThan(3);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(parsed).toBeLessThan(150);
  socket.destroy();
  server.close();
});

test('batches do not wait for the requests of a crowd of readers, nor behind a refusal on their own connection', async () => {
  const begun: string[] = [];
  const server = createHttpServer(({ method, url: path }, response) => {
    begun.push(`${method} ${path}`);
    response.writeHead(path === '/refused' ? 400 : 204).end();
  }, TIMEOUTS);
  const { port } = await server.listen(0, '127.0.0.1');
  const to = `http://127.0.0.1:${port}`;
  const post = 'POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n';
  const refused = await raw(to, get('/refused'));
  const crowd = await Promise.all(Array.from({ length: 200 }, () => raw(to, '')));
  const device = await raw(to, post);
  await expect.poll(() => begun.length).toBe(2);
  for (const { socket } of crowd) socket.write(get('/'));
  refused.socket.write(post);
  device.socket.write(post);
  await expect.poll(() => begun.length).toBe(204);
  const posts = begun.flatMap((each, i) => (i >= 2 && each.startsWith('POST') ? [i] : []));
  expect(posts).toHaveLength(2);
  expect(posts[0]).toBeLessThan(100);
  expect(posts[1]).toBeGreaterThan(100);
  for (const { socket } of [refused, device, ...crowd]) socket.destroy();
  await server.close();
});

test('a batch that comes among costly requests of a crowd waits for a few of them only', async () => {
  const [came, waited]: [number[], number[]] = [[], []];
  let [greeted, crowded] = [0, 0];
  const server = createHttpServer(({ method, url: path }, response) => {
    if (path === '/hello') greeted++;
    else if (method === 'POST') waited.push(crowded - (came.shift() ?? 0));
    else {
      if (++crowded % 7 === 0) {
        came.push(crowded);
        devices.pop()?.socket.write('POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
      }
      for (const end = performance.now() + 2; performance.now() < end; );
    }
    response.writeHead(204).end();
  }, TIMEOUTS);
  const { port } = await server.listen(0, '127.0.0.1');
  const open = (count: number) => Promise.all(Array.from({ length: count }, () => raw(`http://127.0.0.1:${port}`, get('/hello'))));
  const [devices, crowd] = [await open(10), await open(70)];
  const all = [...devices, ...crowd];
  await expect.poll(() => greeted).toBe(80);
  for (const { socket } of crowd) socket.write(get('/'));
  await expect.poll(() => waited.length).toBe(10);
  expect(Math.max(...waited)).toBeLessThan(5);
  for (const { socket } of all) socket.destroy();
  await server.close();
});

test('batches in one write are counted as ever, also where a body is split anywhere', async () => {
  const bodies = Array.from({ length: 50 }, () => batch());
  const { socket, answer } = await raw(url, bodies.map(report).join(''));
  await expect.poll(() => collector.store.totals().then(([total]) => total?.reports)).toBe(50);
  socket.end();
  expect((await answer).match(/HTTP\/1\.1 204/g)).toHaveLength(50);
});

describe('files of the page', () => {
  const ask = (
    path: string,
    accept: string,
    more = {},
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; bytes: number }> =>
    new Promise((resolve, reject) => {
      request(`${url}${path}`, { headers: { 'accept-encoding': accept, ...more } }, (response) => {
        let bytes = 0;
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes }));
      })
        .on('error', reject)
        .end();
    });

  test('carry a hash of their content in their names, are kept by browsers for ever, and come compressed', async () => {
    const files = await filesOfPage();
    expect(files.length).toBeGreaterThan(1);
    for (const path of files) {
      expect(path).toMatch(/^\/\w+-[A-Z0-9]{8}\.(js|css)$/);
      const plain = await ask(path, 'identity');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      for (const coding of ['br', 'gzip']) {
        const packed = await ask(path, coding);
        expect([packed.status, packed.headers['content-encoding'], packed.headers['vary']]).toEqual([200, coding, 'accept-encoding']);
        expect(packed.bytes).toBeLessThan((plain.bytes > 2_000 ? 0.6 : 1) * plain.bytes);
      }
    }
  });

  test('a page that names them is asked for again each time, and not sent again while it is the same', async () => {
    for (const path of ['/', '/index.html', '/questions/plan', '/releases.html']) {
      const { headers } = await ask(path, 'identity');
      expect(headers['cache-control']).toBe('no-cache');
      expect((await ask(path, 'br', { 'if-none-match': headers['etag'] })).status).toBe(304);
    }
  });
});

test('a failure that repeats is logged once in ten minutes', async () => {
  const { append } = collector.store;
  Object.assign(collector.store, { append: () => Promise.reject(new TypeError('it broke')) });
  for (let i = 0; i < 20; i++) expect((await fetch(`${url}/v1/reports`, { method: 'POST', body: batch() })).status).toBe(500);
  Object.assign(collector.store, { append });
  expect(lines.filter((line) => line.includes('it broke'))).toHaveLength(1);
});
