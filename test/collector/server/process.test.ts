/** The collector as a process of its own, with readers who do not read, and told to stop while they wait. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalSchema, dayNumber, dayText } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bodyOf, NOW, schema, sendTo } from '../../kit/app.ts';

const bin = fileURLToPath(new URL('../../../collector/bin/murmuration.js', import.meta.url));
const CANDIDATES = 100_000;
const MIB = 2 ** 20;

let folder: string;
let child: ChildProcess;
let url: string;
let exited: Promise<number | null>;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  folder = mkdtempSync(join(tmpdir(), 'murmuration-reads-'));
  writeFileSync(join(folder, 'schema.json'), canonicalSchema(schema.document));
  writeFileSync(join(folder, 'pages.txt'), Array.from({ length: CANDIDATES }, (_, i) => `page ${i}`).join('\n'));
  const options = ['--schema', join(folder, 'schema.json'), '--candidates', `home=${join(folder, 'pages.txt')}`, '--minimum', '1'];
  const args = [bin, 'serve', '--open', ...options, '--data', join(folder, 'data'), '--port', '0'];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  exited = once(child, 'exit').then(([code]) => code as number | null);
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  url = /http:\S+/.exec(String(line))?.[0] as string;
  const today = dayText(dayNumber(Date.now()));
  const bodies = await Promise.all([1, 2, 3].map((device) => bodyOf(device)));
  await sendTo(
    url,
    bodies.map((body) => body.replace(dayText(dayNumber(NOW)), today)),
  );
  await (await fetch(`${url}/v1/metrics/home/estimates`)).text(); // the thread has started
}, 120_000);

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  if (child.exitCode === null) child.kill('SIGKILL');
  await exited;
  rmSync(folder, { recursive: true });
});

/**
 * In MiB. The benchmark of the service holds it to 100 on a quiet machine; on a busy one garbage is collected late. A collector that kept an
 * answer for each of the 25 clients grew by 558.
 */
const MOST_GROWTH = 250;

const memory = (): number => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
};

/** The estimates that are being computed or wait. */
async function waitingEstimates(): Promise<number> {
  const numbers = await (await fetch(`${url}/metrics`)).text();
  return Number(/^murmuration_estimates_waiting (\d+)$/m.exec(numbers)?.[1]);
}

/** A client that asks, and does not read before it is told. */
async function ask(path: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

/** Reads from now on: the promise of the first part, and of all until the connection ends. */
function reading(socket: Socket): { readonly begun: Promise<unknown>; readonly all: Promise<string> } {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part)).resume();
  return { begun: once(socket, 'data'), all: once(socket, 'close').then(() => Buffer.concat(parts).toString()) };
}

const whole = (query: string): string => `/v1/metrics/home/estimates?limit=${CANDIDATES}${query}`;
/** The same for other days, which is a question of its own. */
const from25 = (i: number): string => whole(`&from=2026-01-${String(i + 1).padStart(2, '0')}`);

test('clients that ask for 100,000 candidates and do not read hold no answer each', async () => {
  // Computing answers takes memory, too, whoever reads them: the same questions from clients that read come first.
  for (let i = 0; i < 5; i++) await (await fetch(url + from25(i))).arrayBuffer();
  const before = memory();
  for (let i = 0; i < 1_000; i++) await ask(i < 25 ? from25(i) : whole(''));
  let most = 0;
  const from = Date.now();
  // Others are answered meanwhile, and the clients of which each asks for another answer find it refused or hold one in all.
  while (Date.now() - from < 10_000 || (await waitingEstimates()) > 0) {
    expect((await fetch(`${url}/v1/metrics`)).status).toBe(200);
    most = Math.max(most, memory());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(most - before).toBeLessThan(MOST_GROWTH);
}, 300_000);

test('told to stop, it ends whatever waits, and the answer of a client that reads is whole or refused', async () => {
  await Promise.all(Array.from({ length: 10 }, () => ask(whole('')))); // they never read
  const asked = await Promise.all(Array.from({ length: 24 }, (_, i) => ask(from25(i)))); // each is computed
  const readers = (await Promise.all(Array.from({ length: 4 }, () => ask(whole(''))))).map(reading);
  await Promise.all(readers.map(({ begun }) => begun));
  const waiting = asked.map(reading); // an answer that nobody reads is cut when the time to stop is over
  child.kill('SIGTERM');
  const read = await Promise.all(readers.map(({ all }) => all));
  const others = await Promise.all(waiting.map(({ all }) => all));
  expect(await exited).toBe(0);
  for (const said of read) {
    const [head = '', body = ''] = said.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(Buffer.byteLength(body)).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
    expect(Buffer.byteLength(body)).toBeGreaterThan(10 * MIB);
  }
  for (const said of others) {
    const [head = '', body = ''] = said.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 (200|503) /);
    expect(Buffer.byteLength(body)).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
  }
}, 120_000);
