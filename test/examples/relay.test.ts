/**
 * Reports through a relay from end to end: devices, the example's relay and a collector, each as a process, with a hostile relay between
 * that repeats, reorders and keeps messages back and loses answers. The relay is killed, and the key changes. Each report is counted once.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTelemetry, defineSchema, flag, memoryStorage, type Telemetry } from '@murmuration/client';
import { noblePrimitives } from '@murmuration/client/noble';
import { relayTransport } from '@murmuration/client/relay';
import { canonicalSchema, webCrypto } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRelay } from '../../examples/relay/relay.ts';
import { counted } from '../kit/counted.ts';
import { bin, runProcess } from '../setup/command.ts';
import { EFFORT } from '../setup/effort.ts';

/** Devices. */
const MANY = EFFORT > 1 ? 20_000 : 150;
/** Devices that are at work at the same time. */
const AT_ONCE = 24;
const DAY = 86_400_000;
/** Simulated days. A collector takes reports for 14. */
const DAYS = 13;

const schema = defineSchema({
  app: 'diary',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  reports: 'alone',
  relay: 'required',
  metrics: { dark: flag({ epsilon: 1, description: 'Dark?' }), old: flag({ epsilon: 1, description: 'Old?' }) },
});
/** Every second device seals without WebCrypto. */
const PRIMITIVES = [webCrypto, noblePrimitives()];
const relayFile = fileURLToPath(new URL('../../examples/relay/relay.ts', import.meta.url));

let folder: string;
let children: ChildProcess[];
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-relay-'));
  children = [];
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true });
});

/** Starts a program, and resolves with its process and its address. */
async function start(...args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, NODE_NO_WARNINGS: '1' } });
  children.push(child);
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, address: /http:[^\s,]+/.exec(String(line))?.[0] as string };
}

/** Numbers in [0, 1). */
const chance = (share: number): boolean => Math.random() < share;

/** A relay in front of another: it keeps every message, and does with it what it likes. Returns its address and the sizes of all messages. */
async function hostile(
  next: () => string,
): Promise<{ readonly address: string; readonly sizes: Set<number>; readonly told: { replayed: number } }> {
  const [kept, sizes, told]: [Buffer[], Set<number>, { replayed: number }] = [[], new Set(), { replayed: 0 }];
  const send = (message: Buffer): Promise<Response> =>
    fetch(next(), { method: 'POST', body: new Uint8Array(message), headers: { 'content-type': 'message/ohttp-req' } });
  server = createServer(async (request, response) => {
    const message = await buffer(request);
    kept.push(message);
    sizes.add(message.length);
    if (chance(0.3)) await wait(Math.random() * 50); // others overtake it
    if (chance(0.2)) {
      told.replayed++;
      void send(kept[Math.floor(Math.random() * kept.length)] as Buffer).then(
        (answer) => answer.arrayBuffer(),
        () => undefined,
      );
    }
    const answer = await send(message).catch(() => undefined);
    if (answer === undefined || chance(0.1)) return void request.socket.destroy();
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/diary`, sizes, told };
}

/** Does something for each of some, a few at a time. */
async function forEach<T>(all: readonly T[], act: (each: T) => Promise<unknown>): Promise<void> {
  const rest = all.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const each of rest) await act(each);
    }),
  );
}

test('targets that are no path are not found, and the relay goes on', async () => {
  const { address, close } = await startRelay({ '/diary': { gateway: 'http://127.0.0.1:9/v1/relay', token: 'rt_x' } });
  const statusOf = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(address, { path, method: 'POST' }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  for (const path of ['//', '//a:b/', 'http://[', '/nowhere']) expect(await statusOf(path), path).toBe(404);
  await close();
});

test(
  `${MANY} devices, a relay that is killed, a hostile one, and a key that changes: no report is lost, and none counts twice`,
  async () => {
    const keyFile = join(folder, 'relay-keys.json');
    const command = (...args: readonly string[]) => JSON.parse(runProcess(...args, '--json').stdout) as { keys: string; token: string };
    const { keys: firstKey } = command('relay', 'rotate', keyFile);
    const { token } = command('relay', 'admit', keyFile, 'edge');
    writeFileSync(join(folder, 'schema.json'), canonicalSchema(schema.document));
    const options = ['--schema', join(folder, 'schema.json'), '--data', join(folder, 'data'), '--relay-keys', keyFile, '--minimum', '1'];
    const collector = await start(bin, 'serve', '--open', ...options, '--port', '0');
    writeFileSync(join(folder, 'relay.json'), JSON.stringify({ '/diary': { gateway: `${collector.address}/v1/relay`, token } }));
    const startRelay = (port = '0') => start(relayFile, '--config', join(folder, 'relay.json'), '--port', port);
    let relay = await startRelay();
    const front = await hostile(() => `${relay.address}/diary`);

    let now = Date.now() - (DAYS - 1) * DAY;
    const delivered = new Map<number, Set<string>>();
    const deviceOf = (i: number, keys: string): Telemetry<typeof schema.questions> =>
      createTelemetry({
        schema,
        endpoint: collector.address,
        consent: 'granted',
        debug: false,
        storage: memoryStorage(),
        transport: relayTransport({ schema, relay: front.address, keys, primitives: PRIMITIVES[i % 2], now: () => now }),
        clock: { now: () => now, after: () => () => undefined }, // nothing happens but at a flush
        onOutcome: ({ result, metric = '' }) => {
          if (result === 'delivered') delivered.set(i, (delivered.get(i) ?? new Set()).add(metric));
        },
      });
    const half = Array.from({ length: MANY / 2 }, (_, i) => [i, deviceOf(i, firstKey)] as const);
    const { keys: newKey } = command('relay', 'rotate', keyFile);
    collector.child.kill('SIGHUP');
    const other = Array.from({ length: MANY / 2 }, (_, i) => [MANY / 2 + i, deviceOf(MANY / 2 + i, newKey)] as const);
    await expect
      .poll(async () => Buffer.from(await (await fetch(`${collector.address}/v1/relay`)).arrayBuffer()).toString('base64url'), {
        timeout: 60_000,
      })
      .toBe(newKey);

    const devices = [...half, ...other];
    for (const [i, telemetry] of devices) {
      telemetry.record('dark', i % 3 === 0);
      telemetry.record('old', i % 2 === 0);
    }
    for (let day = 0; day < DAYS; day++) {
      const waiting = devices.filter(([i]) => (delivered.get(i)?.size ?? 0) < 2);
      const killed = day === 2 || day === 4 ? wait(200).then(() => relay.child.kill('SIGKILL')) : undefined;
      await forEach(waiting, ([, telemetry]) => telemetry.flush());
      await killed;
      if (killed) relay = await startRelay(new URL(relay.address).port);
      now += DAY;
    }
    expect([...delivered.values()].filter(({ size }) => size === 2)).toHaveLength(MANY);
    expect(front.told.replayed).toBeGreaterThan(0);
    expect(front.sizes.size).toBe(1);
    await expect.poll(() => counted(collector.address)).toEqual({ dark: MANY, old: MANY });
    await wait(1_000); // the last of the messages that were sent again
    expect(await counted(collector.address)).toEqual({ dark: MANY, old: MANY });
  },
  EFFORT > 1 ? 3_600_000 : 300_000,
);
