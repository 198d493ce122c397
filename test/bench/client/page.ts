/** A page that measures the client in a browser; speed.ts runs it. Storage and lock are the page's own, the collector answers at once. */

import { choice, createTelemetry, type DeviceQuestion, defineSchema, permanent, text } from '@murmuration/client';

const DAY = 86_400_000;
const METRICS = 20;
const about = { epsilon: 1, description: 'a question' };
const daily = { ...about, every: 'day' } as const;
const ANSWERS = Array.from({ length: 10 }, (_, i) => `answer ${i}`);

const questions = {
  choice: () => choice(ANSWERS, daily),
  text: () => text(daily),
  'permanent text': () => permanent(text(daily), { epsilon: 4, renew: 'year' }),
};

/** Starts an app of so many metrics of one kind, with a clock of its own. */
function start(app: string, question: () => DeviceQuestion<string>, metrics: number) {
  let now = Date.UTC(2026, 10, 20);
  const names = Array.from({ length: metrics }, (_, i) => `m${i}`);
  const schema = defineSchema({
    app,
    version: 1,
    budget: { epsilon: 1e6, per: 'day' },
    metrics: Object.fromEntries(names.map((name) => [name, question()])),
  });
  const telemetry = createTelemetry({
    schema,
    endpoint: '/t',
    consent: 'granted',
    transport: async () => ({ status: 204 }),
    clock: { now: () => now, after: () => () => {} },
  });
  return {
    telemetry,
    names,
    nextDay: (): void => {
      now += DAY;
    },
  };
}

/** Resolves in another task. */
const task = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(0);
  });

/** Microseconds of each `record` that took its slot, after as many days of warming up as are measured. */
async function records(kind: keyof typeof questions, round: number, days: number): Promise<readonly number[]> {
  const { telemetry, names, nextDay } = start(`speed ${kind} ${round}`, questions[kind], METRICS);
  await telemetry.look();
  const times: number[] = [];
  for (let day = 0; day < 2 * days; day++) {
    for (const name of names) {
      const before = performance.now();
      telemetry.record(name, 'answer 3');
      const after = performance.now();
      if (day >= days) times.push(1_000 * (after - before));
      await task();
    }
    await telemetry.flush();
    nextDay();
  }
  return times;
}

/** 1,000 records in one tick: the transactions that they cause, and the milliseconds until the next task. */
async function burst(metrics: number): Promise<{ readonly writes: number; readonly milliseconds: number }> {
  const { telemetry, names } = start(`burst ${metrics}`, questions.choice, metrics);
  await telemetry.look();
  await task();
  const { transaction } = IDBDatabase.prototype;
  let writes = 0;
  IDBDatabase.prototype.transaction = function (...args) {
    writes++;
    return transaction.apply(this, args);
  };
  const before = performance.now();
  for (let i = 0; i < 1_000; i++) telemetry.record(names[i % metrics] as string, 'answer 3');
  await task();
  const milliseconds = performance.now() - before;
  IDBDatabase.prototype.transaction = transaction;
  await telemetry.flush();
  return { writes, milliseconds };
}

/** Timers, requests and uses of the storage in so many milliseconds of a page that records nothing, and is hidden then. */
async function idle(milliseconds: number): Promise<readonly string[]> {
  const used: string[] = [];
  const watch = (owner: object, name: string): (() => void) => {
    const target = owner as { [name: string]: (...args: unknown[]) => unknown };
    const original = target[name] as (...args: unknown[]) => unknown;
    target[name] = function (this: unknown, ...args) {
      used.push(name);
      return original.apply(this, args);
    };
    return () => {
      target[name] = original;
    };
  };
  const schema = defineSchema({ app: 'idle', version: 1, budget: { epsilon: 1, per: 'month' }, metrics: { plan: choice(ANSWERS, about) } });
  const telemetry = createTelemetry({ schema, endpoint: '/t', consent: 'granted' });
  await telemetry.look(); // it has read what is stored
  const wait = new Promise((resolve) => setTimeout(resolve, milliseconds));
  const stops = [
    ...['setTimeout', 'setInterval', 'requestAnimationFrame', 'fetch'].map((name) => watch(globalThis, name)),
    ...['getItem', 'setItem', 'removeItem'].map((name) => watch(Storage.prototype, name)),
    watch(IDBDatabase.prototype, 'transaction'),
    watch(Navigator.prototype, 'sendBeacon'),
  ];
  await wait;
  dispatchEvent(new Event('pagehide'));
  await task();
  for (const stop of stops) stop();
  return used;
}

/** What speed.ts calls. */
const measures = { records, burst, idle, isIsolated: () => crossOriginIsolated };
export type Measures = typeof measures;
Object.assign(globalThis, { measures });
