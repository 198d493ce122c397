/** Every transport, lifecycle and clock that runs in Node, through the suite of its kind; the rest of what the Node adapters promise. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  createTelemetry,
  defineSchema,
  fetchTransport,
  flag,
  memoryStorage,
  type Options,
  type Outcome,
  type Storage,
  type Transport,
} from '@murmuration/client';
import { edgeClock } from '@murmuration/client/edge';
import { fileStorage, nodeLifecycle } from '@murmuration/client/node';
import { appStateLifecycle } from '@murmuration/client/react-native';
import { assertRecorded, memoryTransport, testLifecycle, testTransport } from '@murmuration/client/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseState } from '#client/ledger/state.ts';
import { PATIENCE } from '#client/limits.ts';
import { type RunningServer, startServer } from '../../kit/transport-server.ts';

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

describe('fetch', () => {
  testTransport(test, fetchTransport, running);
});

describe("a transport of one's own", () => {
  const httpTransport: Transport = ({ url, body }) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers: { 'content-type': 'text/plain' } }, (response) => {
        const { statusCode: status = 0, headers } = response;
        text(response).then((body) => resolve({ status, retryAfter: Number(headers['retry-after'] ?? 0), body }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  testTransport(test, httpTransport, running);
});

describe('fetch, and an answer whose body is no end of bytes', () => {
  afterEach(() => vi.restoreAllMocks());

  /** With a body that never ends; nobody gives up before the test does, so that what does not let go does not end either. */
  const answered = async (status: number, isFlood: boolean, isGivenUp = false) => {
    const [patience, { fetch }] = [new AbortController(), globalThis];
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal);
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
      const response = await fetch(...request);
      if (isGivenUp) setImmediate(() => patience.abort());
      return response;
    });
    let isOpen = true;
    const endless = await startServer((_path, response) => {
      response.on('close', () => {
        isOpen = false;
      });
      response.writeHead(status, { 'retry-after': '7' });
      const more = (): void => {
        while (isFlood && isOpen && response.write('x'.repeat(100_000)));
      };
      response.on('drain', more).write('{');
      more();
      return true;
    });
    const delivery = await fetchTransport({ url: endless.address, body: 'a batch' });
    await expect.poll(() => isOpen).toBe(false);
    await endless.close();
    return { delivery, patience: timeout.mock.calls };
  };

  test.each([200, 503])('reads nothing of a %s, and lets go of the connection at once', async (status) => {
    const { delivery } = await answered(status, false);
    expect(delivery).toEqual({ status, retryAfter: 7 });
  });

  test('reads the beginning of a refusal alone', async () => {
    const { delivery } = await answered(410, true);
    expect(delivery.status).toBe(410);
    expect(delivery.body?.length).toBeLessThan(1_000_000);
  });

  test('tells of a refusal that never ends before the sender gives up', async () => {
    const { delivery, patience } = await answered(400, false, true);
    expect(delivery.status).toBe(400);
    expect(patience).toEqual([[9_000]]);
    expect(9_000).toBeLessThan(PATIENCE);
  });
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

  test('flushes when the app comes back', () => {
    let heard = 0;
    const stop = appStateLifecycle(appState)(() => heard++);
    change('active');
    expect(heard).toBe(1);
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

  test('flushes once when nothing is left to do, and as it exits; its clock keeps nothing alive', async () => {
    const idle = `process.once('beforeExit', () => console.log('idle')); nodeClock.after(60_000, () => {})`;
    expect(await program(idle)).toEqual({ output: 'flush\nidle\nflush\n', code: 0, signal: null });
  });

  test('flushes on a signal, and the program dies of it as ever', async () => {
    const stay = 'setInterval(() => {}, 1000); console.log("ready");';
    expect(await program(stay, 'SIGTERM')).toEqual({ output: 'ready\nflush\n', code: null, signal: 'SIGTERM' });
    expect(await program(`nodeLifecycle(() => console.log('flush'));${stay}`, 'SIGINT')).toMatchObject({
      output: 'ready\nflush\nflush\n',
      signal: 'SIGINT',
    });
  });

  test('leaves the end to a program that handles the signal itself, and flushes again as it exits', async () => {
    const own = `process.once('SIGTERM', () => setTimeout(() => { console.log('cleared'); process.exit(7); }, 50)); setInterval(() => {}, 1000); console.log('ready');`;
    expect(await program(own, 'SIGTERM')).toEqual({ output: 'ready\nflush\ncleared\nflush\n', code: 7, signal: null });
  });

  test('has what waited for a transaction, an answer of a metric with `otherwise`, on the disk when process.exit returns', async () => {
    const at = join(folder, 'exits');
    const records = `
      const { createTelemetry, defineSchema, flag } = await import('@murmuration/client');
      const { fileStorage, nodeClock, nodeLifecycle } = await import('@murmuration/client/node');
      const metrics = { printed: flag({ epsilon: 1, otherwise: false, description: 'Was anything printed?' }) };
      const telemetry = createTelemetry({
        schema: defineSchema({ app: 'notes', version: 1, budget: { epsilon: 1, per: 'month' }, metrics }),
        endpoint: 'http://127.0.0.1:9',
        consent: 'granted',
        storage: fileStorage(${JSON.stringify(at)}),
        lifecycle: nodeLifecycle,
        clock: nodeClock,
        onOutcome: ({ metric, result }) => console.log(result, metric),
      });
      await telemetry.look();
      telemetry.record('printed', true);
      setTimeout(() => { console.log('exits'); process.exit(0); }, 50);`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', records], { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(output).toBe('begun printed\nexits\nrecorded printed\n');
    const [file = ''] = await readdir(at);
    expect(parseState(await readFile(join(at, file), 'utf8'))?.accounts.printed?.answered).toBe(1);
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

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 1, per: 'month' },
  metrics: { darkMode: flag({ epsilon: 1, description: 'Is dark mode on?' }) },
});

test('an upload that a timer begins keeps its request alive', async () => {
  vi.useFakeTimers();
  try {
    const alive: Promise<unknown>[] = [];
    const sent = memoryTransport(schema, () => new Promise((resolve) => setTimeout(resolve, 3_000, { status: 204 })));
    const outcomes: Outcome[] = [];
    const telemetry = createTelemetry({
      schema,
      endpoint: '/',
      consent: 'granted',
      storage: memoryStorage(),
      clock: edgeClock((promise) => void alive.push(promise)),
      transport: sent.transport,
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    telemetry.record('darkMode', true);
    await vi.advanceTimersByTimeAsync(10_000);
    await Promise.all(alive);
    expect(outcomes.map(({ result }) => result)).toEqual(['recorded', 'delivered']);
  } finally {
    vi.useRealTimers();
  }
});

describe('a server', () => {
  const answers = async (options: Partial<Options<typeof schema.questions, Record<never, never>>>): Promise<readonly string[]> => {
    const outcomes: string[] = [];
    const sent = memoryTransport(schema);
    const telemetry = createTelemetry({
      schema,
      endpoint: '/',
      consent: 'granted',
      transport: sent.transport,
      onOutcome: ({ result }) => outcomes.push(result),
      ...options,
    });
    telemetry.record('darkMode', true);
    await telemetry.close();
    await assertRecorded(sent, 'darkMode', outcomes.includes('delivered') ? 1 : 0);
    return outcomes;
  };

  test('that passes no storage records nothing: it is no person', async () => {
    expect(await answers({})).toEqual(['storage-failed', 'storage-failed']); // the start, and the record
  });

  test('with a folder for each person has a ledger for each', async () => {
    const storageOf = (person: string): Storage => fileStorage(join(folder, 'people', person));
    expect(await answers({ storage: storageOf('ada') })).toEqual(['recorded', 'delivered']);
    expect(await answers({ storage: storageOf('ben') })).toEqual(['recorded', 'delivered']);
    expect(await answers({ storage: storageOf('ada') })).toEqual(['already-answered']);
  });

  test('listens to the process once, whatever number of people there are', () => {
    const before = process.listenerCount('SIGTERM');
    const stops = Array.from({ length: 100 }, () => nodeLifecycle(() => {}));
    expect([process.listenerCount('SIGTERM'), process.listenerCount('beforeExit')]).toEqual([before + 1, 1]);
    for (const stop of stops) stop();
  });
});

test('importing the package does nothing, and reads no global', () => {
  const entries = [
    '',
    '/beacon',
    '/components/react',
    '/consent',
    '/edge',
    '/german',
    '/inspector',
    '/lazy',
    '/node',
    '/react',
    '/react-native',
    '/testing',
    '/worker',
  ].map((path) => `@murmuration/client${path}`);
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
