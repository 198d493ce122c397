/** Every adapter that runs in Node, through the suite of its kind; the rest of what the Node adapters promise. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchTransport, memoryStorage, type Storage, type Transport } from '@murmuration/client';
import { edgeClock } from '@murmuration/client/edge';
import { fileStorage, nodeLifecycle } from '@murmuration/client/node';
import { appStateLifecycle } from '@murmuration/client/react-native';
import { testLifecycle, testStorage, testTransport } from '@murmuration/client/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from './transport-server.ts';

let folder: string;
let server: RunningServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-adapters-'));
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** A server that is there once the tests run. */
const running = {
  get address() {
    return server.address;
  },
  received: () => server.received(),
};

describe('memory', () => {
  const storage = memoryStorage();
  testStorage(test, () => storage, { keeps: false });
});

describe('a storage of promises, as AsyncStorage is', () => {
  const items = new Map<string, string>();
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const asyncStorage: Storage = {
    getItem: async (key) => {
      await turn();
      return items.get(key) ?? null;
    },
    setItem: async (key, value) => {
      await turn();
      items.set(key, value);
    },
  };
  testStorage(test, () => asyncStorage);
});

describe('a folder', () => {
  testStorage(test, () => fileStorage(join(folder, 'suite')));

  test('holds files that nobody else can read, and nothing half written', async () => {
    const storage = fileStorage(join(folder, 'files'));
    await storage.setItem('murmuration:Notes/..', '{"v":1}');
    const files = await readdir(join(folder, 'files'));
    expect(files).toEqual(['murmuration%3a%4eotes%2f%2e%2e.json']);
    expect((await stat(join(folder, 'files', files[0] as string))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'files'))).mode & 0o777).toBe(0o700);
  });

  test('throws what is not the absence of a file', async () => {
    await writeFile(join(folder, 'file'), '');
    const storage = fileStorage(join(folder, 'file'));
    expect(() => storage.getItem('key')).toThrow(/ENOTDIR/);
    expect(() => storage.setItem('key', 'value')).toThrow(/EEXIST|ENOTDIR/);
  });

  test('is one process at a time, and outlives one that was killed', async () => {
    const at = join(folder, 'locked');
    const holder = spawn(
      process.execPath,
      [
        '-e',
        `import('@murmuration/client/node').then(async ({ fileStorage }) => {
        await fileStorage(${JSON.stringify(at)}).lock('key');
        console.log('held');
        setInterval(() => {}, 1000);
      })`,
      ],
      { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(holder.stdout, 'data');
    let taken = false;
    const waiting = fileStorage(at)
      .lock?.('key')
      .then((release) => {
        taken = true;
        return release;
      });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(taken).toBe(false);
    expect(Number(await readFile(join(at, 'key.json.lock'), 'utf8'))).toBe(holder.pid);
    holder.kill('SIGKILL');
    (await waiting)?.();
    await expect(readdir(at)).rejects.toThrow(/ENOENT/); // nothing was stored, so nothing stays
  });
});

describe('fetch', () => {
  testTransport(test, fetchTransport, running);
});

describe("a transport of one's own", () => {
  const httpTransport: Transport = ({ url, body }) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers: { 'content-type': 'text/plain' } }, (response) => {
        response.resume();
        resolve({ status: response.statusCode as number, retryAfter: Number(response.headers['retry-after']) || 0 });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  testTransport(test, httpTransport, running);
});

describe("React Native's AppState", () => {
  const listeners = new Set<(state: string) => void>();
  const appState = {
    addEventListener: (_type: 'change', listener: (state: string) => void) => {
      const own = (state: string): void => listener(state);
      listeners.add(own);
      return { remove: () => void listeners.delete(own) };
    },
  };
  const change = (state: string): void => {
    for (const listener of listeners) listener(state);
  };
  testLifecycle(test, appStateLifecycle(appState), () => change('background'));

  test('says nothing of an app that comes back', () => {
    let heard = 0;
    const stop = appStateLifecycle(appState)(() => heard++);
    change('active');
    expect(heard).toBe(0);
    stop();
  });
});

describe("a Node program's lifecycle", () => {
  testLifecycle(test, nodeLifecycle, () => process.emit('beforeExit', 0));

  test('leaves no listener behind', () => {
    const count = (): readonly number[] => ['beforeExit', 'SIGTERM', 'SIGINT', 'SIGHUP'].map((name) => process.listenerCount(name));
    const before = count();
    const stops = [nodeLifecycle(() => {}), nodeLifecycle(() => {})];
    for (const stop of stops) stop();
    expect(count()).toEqual(before);
  });

  /** Runs a program that listens, to its end. */
  const program = async (
    rest: string,
    signal?: NodeJS.Signals,
  ): Promise<{ output: string; code: number | null; signal: string | null }> => {
    const child = spawn(
      process.execPath,
      [
        '-e',
        `import('@murmuration/client/node').then(({ nodeLifecycle, nodeClock }) => { nodeLifecycle(() => console.log('flush')); ${rest} })`,
      ],
      { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout.on('data', (data) => {
      output += String(data);
      if (signal && String(data).includes('ready')) child.kill(signal);
    });
    const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
    return { output, code, signal: killedBy };
  };

  test('flushes once when nothing is left to do; its clock keeps nothing alive', async () => {
    expect(await program('nodeClock.after(60_000, () => {})')).toEqual({ output: 'flush\n', code: 0, signal: null });
  });

  test('flushes on a signal, and the program dies of it as ever', async () => {
    const stay = 'setInterval(() => {}, 1000); console.log("ready");';
    expect(await program(stay, 'SIGTERM')).toEqual({ output: 'ready\nflush\n', code: null, signal: 'SIGTERM' });
    expect(await program(`nodeLifecycle(() => console.log('flush'));${stay}`, 'SIGINT')).toMatchObject({
      output: 'ready\nflush\nflush\n',
      signal: 'SIGINT',
    });
  });

  test('leaves the end to a program that handles the signal itself', async () => {
    const own = `process.once('SIGTERM', () => setTimeout(() => { console.log('cleared'); process.exit(7); }, 50)); setInterval(() => {}, 1000); console.log('ready');`;
    expect(await program(own, 'SIGTERM')).toEqual({ output: 'ready\nflush\ncleared\n', code: 7, signal: null });
  });
});

describe("an edge runtime's clock", () => {
  test('keeps the request alive until the timer has run and its work is done', async () => {
    const alive: Promise<unknown>[] = [];
    const clock = edgeClock((promise) => void alive.push(promise));
    const steps: string[] = [];
    clock.after(1, async () => {
      steps.push('timer');
      await new Promise((resolve) => setTimeout(resolve, 5));
      steps.push('done');
    });
    await Promise.all(alive);
    expect(steps).toEqual(['timer', 'done']);
    expect(alive).toHaveLength(1);
  });

  test('lets the request go when the timer is cancelled, fails, or is due too late', async () => {
    const alive: Promise<unknown>[] = [];
    const clock = edgeClock((promise) => void alive.push(promise));
    clock.after(10_000, () => {})();
    clock.after(1, () => Promise.reject(new Error('offline')));
    clock.after(60_000, () => {})();
    await Promise.all(alive);
    expect(alive).toHaveLength(2);
  });
});

test('importing the package does nothing, and reads no global', () => {
  const entries = ['', '/beacon', '/edge', '/indexed-db', '/react-native', '/testing', '/worker'].map(
    (path) => `@murmuration/client${path}`,
  );
  const script = `
    const names = ['document', 'localStorage', 'navigator', 'indexedDB', 'fetch', 'crypto', 'addEventListener', 'Request', 'location'];
    const read = [];
    for (const name of names) Object.defineProperty(globalThis, name, { configurable: true, get: () => { read.push(name); return undefined; } });
    const timers = setTimeout;
    globalThis.setTimeout = () => read.push('setTimeout');
    const before = Object.getOwnPropertyNames(globalThis).join();
    await Promise.all(${JSON.stringify(entries)}.map((entry) => import(entry)));
    globalThis.setTimeout = timers;
    console.log(JSON.stringify([...new Set(read)]), before === Object.getOwnPropertyNames(globalThis).join());`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(output).toBe('[] true\n');
});
