/** Clients that ask for large answers and do not read them, and a collector that is told to stop while estimates wait. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { closedLoop } from '../ingest/load.ts';
import { withFolder } from '../ingest/process.ts';
import { requests } from '../ingest/requests.ts';
import { schema } from '../ingest/schema.ts';
import type { Line } from '../lines.ts';
import { type Service, serve } from './process.ts';

/** Estimates that wait when the collector is told to stop. */
const QUEUED = 24;
/** The longest that memory is watched while nobody reads, in milliseconds. */
const WATCHED = 10_000;
/** The most rows of an answer. */
const MOST_ROWS = 100_000;

const whole = (query = ''): string => `/v1/metrics/search/estimates?limit=${MOST_ROWS}${query}`;
/** The same question of other days: another answer of its own. */
const from = (i: number): string => whole(`&from=2026-01-${String(i + 1).padStart(2, '0')}`);

/** A client that asks, and does not read. */
async function ask(port: number, path: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

interface Asked {
  readonly candidates: number;
  readonly seconds: number;
}

/** Starts a collector with so many candidates and some reports, runs work on it, and ends it. */
async function withCandidates<T>({ candidates, seconds }: Asked, work: (service: Service) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const file = join(folder, 'words.txt');
    writeFileSync(file, Array.from({ length: candidates }, (_, i) => `word ${i}`).join('\n'));
    const service = await serve(folder, schema.document, ['--candidates', `search=${file}`]);
    try {
      await closedLoop(service.port, 4, await requests(10), Math.min(1, seconds));
      // Computing takes memory, whoever reads the answers: clients that read come first.
      for (let i = 0; i < 5; i++) await (await fetch(service.url + from(i))).arrayBuffer();
      return await work(service);
    } finally {
      await service.stop();
    }
  });
}

/** How many MiB a crowd takes that does not read, of whom the first 25 ask for answers of their own. */
async function memoryTaken({ port, memory }: Service, clients: number, milliseconds: number): Promise<number> {
  const before = memory();
  const sockets: Socket[] = [];
  let most = before;
  for (let i = 0; i < clients; i++) sockets.push(await ask(port, i < 25 ? from(i) : whole()));
  for (const end = performance.now() + milliseconds; performance.now() < end; await pause(100)) most = Math.max(most, memory());
  for (const socket of sockets) socket.destroy();
  return most - before;
}

/** Whether what a connection said is one answer, whole, with 200 or 503. */
function isWhole(said: string): boolean {
  const [head = '', body = ''] = said.split('\r\n\r\n');
  return /^HTTP\/1\.1 (200|503) /.test(head) && Buffer.byteLength(body) === Number(/content-length: (\d+)/i.exec(head)?.[1]);
}

/** Reads from now on, until the connection ends. */
async function rest(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part)).resume();
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(parts).toString();
}

async function stopLines(service: Service, candidates: number): Promise<readonly Line[]> {
  const sockets = await Promise.all(Array.from({ length: QUEUED }, (_, i) => ask(service.port, from(5 + i))));
  await pause(500); // the first is being computed
  const stopping = service.stop();
  const answers = await Promise.all(sockets.map(rest));
  const { seconds, code } = await stopping;
  return [
    {
      what: `SIGTERM with ${QUEUED} estimates of ${candidates} candidates queued: ends after`,
      measured: seconds,
      unit: 's',
      target: { atMost: 10 },
    },
    { what: '  its exit code', measured: code ?? 1, unit: '', target: { atMost: 0 } },
    {
      what: '  answers that are neither whole nor refused',
      measured: answers.filter((said) => !isWhole(said)).length,
      unit: '',
      target: { atMost: 0 },
    },
    { what: '  answers in full', measured: answers.filter((said) => said.startsWith('HTTP/1.1 200')).length, unit: `of ${QUEUED}` },
  ];
}

/** Memory that crowds take, and a stop. */
export async function silentLines(asked: Asked): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const clients of [25, 1_000]) {
    const [taken, before] = await withCandidates(asked, async (service) => {
      const resident = service.memory();
      return [await memoryTaken(service, clients, Math.min(WATCHED, 1_000 * asked.seconds)), resident] as const;
    });
    lines.push(
      { what: 'resident memory of a collector that has answered five', measured: before, unit: 'MiB' },
      { what: `  with ${clients} clients that do not read, more`, measured: taken, unit: 'MiB', target: { atMost: 100 } },
    );
  }
  return [...lines, ...(await withCandidates(asked, (service) => stopLines(service, asked.candidates)))];
}
