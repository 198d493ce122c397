/**
 * A server in a process of its own, so that its CPU time is its own: `node server.ts bare|naive|collector|slow FOLDER`, or
 * `node server.ts postgres URL`.
 */

import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CollectorOptions, createCollector } from '@murmuration/collector';
import express from 'express';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { schema } from './schema.ts';

/** What a server says of itself when it is asked. */
export interface Usage {
  /** CPU seconds of the process, all threads. */
  readonly cpu: number;
  readonly residentBytes: number;
}

/** Reads the body and answers 204: what no collector in Node can beat. */
async function bare(): Promise<number> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** As one writes it first: a JSON parser, a row for each report, a transaction for each request. */
async function naive(folder: string): Promise<number> {
  const database = new DatabaseSync(join(folder, 'naive.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE batch (id TEXT PRIMARY KEY); CREATE TABLE report (batch TEXT, metric TEXT, payload TEXT)');
  const addBatch = database.prepare('INSERT OR IGNORE INTO batch VALUES (?)');
  const addReport = database.prepare('INSERT INTO report VALUES (?, ?, ?)');
  const app = express();
  app.post('/v1/reports', express.json({ type: () => true }), (request, response) => {
    const { batch, reports } = request.body as { batch: string; reports: [string, string][] };
    database.exec('BEGIN');
    if (addBatch.run(batch).changes > 0) for (const [metric, payload] of reports) addReport.run(batch, metric, payload);
    database.exec('COMMIT');
    response.status(204).end();
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function collector(folder: string, options: Partial<CollectorOptions> = {}): Promise<number> {
  const opened = await createCollector({ open: true, schemas: [schema.document], data: folder, ...options });
  return Number(new URL(await opened.listen(0, '127.0.0.1')).port);
}

const slowWriter = new URL('./slow-writer.ts', import.meta.url);
const slow = (folder: string): Promise<number> =>
  collector(folder, { openStore: (shapes) => openSqliteStore(folder, shapes, { writer: slowWriter }) });

const onPostgres = (postgres: string): Promise<number> => collector('', { postgres });

const servers: { readonly [kind: string]: (folder: string) => Promise<number> } = { bare, naive, collector, slow, postgres: onPostgres };
const [kind = '', folder = ''] = process.argv.slice(2);
const start = servers[kind];
if (start === undefined) throw new TypeError(`expected one of ${Object.keys(servers).join(', ')}, got ${kind}`);
if (kind !== 'postgres') mkdirSync(folder, { recursive: true });
const port = await start(folder);
process.on('message', (asked: 'usage' | 'collected') => {
  if (asked === 'collected') globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: (user + system) / 1e6, residentBytes: process.memoryUsage().rss } satisfies Usage);
});
process.on('disconnect', () => process.exit());
process.send?.({ port });
