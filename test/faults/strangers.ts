/** Hands that do harm: a removed lock under load, and senders who ask for much and leave before it comes. */

import { readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dayNumber } from '@murmuration/shared';
import { LOCK } from '#collector/storage/files/durable.ts';
import { describe, isExact, judge, openStore } from './cells.ts';
import { Devices } from './load.ts';
import { failuresOf, type Outcome, sleep, until } from './outcome.ts';
import { memoryOf, serve, withFolder } from './server.ts';

/** Removes the lock of a collector under load, again and again, and starts another one beside it, which must be the only one that goes on. */
export const locksRemoved = (times: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const [failures, data] = [failuresOf(), `${folder}/data`];
    const devices = new Devices(dayNumber(Date.now()));
    let server = await serve(data);
    for (let round = 0; round < times; round++) {
      let alive = true;
      const load = devices.load(server.port, 32, () => alive);
      const before = devices.acknowledgements;
      while (devices.acknowledgements < before + 200) await sleep(1);
      rmSync(`${data}/${LOCK}`);
      const second = await serve(data);
      const more = devices.load(second.port, 32, () => alive);
      const code = await Promise.race([server.exited, sleep(60_000).then(() => undefined)]);
      if (code !== 1) failures.add('the first collector did not end with 1', `${code}`);
      if (!server.logs().includes('another collector has opened this store')) failures.add('the first collector did not say why');
      const since = devices.acknowledgements;
      if (!(await until(() => devices.acknowledgements > since + 200, 60_000))) failures.add('the second collector does not go on');
      alive = false;
      await Promise.all([load, more]);
      server = second;
    }
    if ((await server.stop('SIGTERM')) !== 0) failures.add('the last collector did not end with 0');
    const store = await openStore(data);
    const verdict = await judge(store, devices.acknowledged, devices.today);
    await store.close();
    if (!isExact(verdict)) failures.add('batches are not there exactly once', describe(verdict));
    return {
      fault: 'lock removed, and a second collector',
      tried: `${times} times under 64 clients`,
      seen: `the first ends each time; ${describe(verdict)}`,
      failures: failures.list(),
    };
  });

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Sends many requests at once and leaves when the first answer comes. */
const leave = (port: number, text: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.once('data', () => socket.resetAndDestroy());
    socket.on('error', () => undefined).once('close', () => resolve());
  });

/** Pipelines requests for each route on many connections, and leaves early. */
export const earlyLeavers = (connections: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const failures = failuresOf();
    const server = await serve(`${folder}/data`);
    const page = await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
    const files = [...page.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map(([, path]) => path as string);
    const routes = ['/', ...files, '/livez', '/readyz', '/v1/metrics', '/metrics', '/.well-known/murmuration.json', '/nowhere'];
    for (const route of routes) await (await fetch(`http://127.0.0.1:${server.port}${route}`)).text();
    const open = (): number => readdirSync(`/proc/${server.pid}/fd`).length;
    const [before, memory] = [open(), memoryOf(server.pid)];
    let most = 0;
    for (const route of routes) {
      const text = get(route).repeat(Math.floor(65_000 / get(route).length));
      await Promise.all(Array.from({ length: connections }, () => leave(server.port, text)));
      most = Math.max(most, memoryOf(server.pid));
      if (!(await until(() => open() < before + 20, 60_000))) failures.add('descriptors stay open', `${open() - before} after ${route}`);
    }
    if (most > memory + 384) failures.add('memory grows', `by ${Math.round(most - memory)} MiB`);
    if ((await server.stop('SIGTERM')) !== 0) failures.add('the collector did not end with 0');
    return {
      fault: 'senders who leave early',
      tried: `${routes.length} routes, ${connections} connections with 65 KB of requests each`,
      seen: `no descriptor stays open; memory grew by ${Math.round(Math.max(0, most - memory))} MiB`,
      failures: failures.list(),
    };
  });
