/** One app in a page, a worker and a service worker, each with a telemetry of its own: one script, which finds out where it runs. */

import { createTelemetry, defineSchema, flag, type Outcome } from '@murmuration/client';
import { wakeWorker, workerLifecycle } from '@murmuration/client/worker';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'workers',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: { worker: flag(ask), service: flag(ask) },
});
const inPage = typeof document !== 'undefined';
const outcomes: Outcome[] = [];
const telemetry = createTelemetry({
  schema,
  endpoint: location.origin,
  onOutcome: (outcome) => outcomes.push(outcome),
  ...(!inPage && { lifecycle: workerLifecycle }),
});

/** Sends a message, and resolves with the answer. */
const asked = (target: { postMessage(message: unknown): void }, source: EventTarget, message: string): Promise<unknown> =>
  new Promise((resolve) => {
    source.addEventListener('message', (event) => resolve((event as MessageEvent).data), { once: true });
    target.postMessage(message);
  });

let workers: Promise<readonly ((message: string) => Promise<unknown>)[]> | undefined;

/** Starts both workers, and has the page wake them as an app does. */
async function start(): Promise<readonly ((message: string) => Promise<unknown>)[]> {
  const worker = new Worker('/entry.js');
  await navigator.serviceWorker.register('/entry.js');
  const service = (await navigator.serviceWorker.ready).active as ServiceWorker;
  wakeWorker(worker);
  wakeWorker(service);
  navigator.serviceWorker.startMessages();
  return [(message) => asked(worker, worker, message), (message) => asked(service, navigator.serviceWorker, message)];
}

/** What a test may ask of the page. */
const commands = {
  /** Has the worker and the service worker do something: `state` is their consent, `record` a record and its outcome, `flush` a flush. */
  both: async (message: string): Promise<readonly unknown[]> => {
    workers ??= start();
    const answers: unknown[] = [];
    for (const ask of await workers) answers.push(await ask(message));
    return answers;
  },
  /** The person decides in the page; resolves when that is stored. */
  decide: async (value: 'grant' | 'deny'): Promise<void> => {
    telemetry.consent[value]();
    await telemetry.look();
  },
};

async function answerTo(message: unknown): Promise<unknown> {
  if (message === 'flush') await telemetry.flush();
  if (message !== 'record') return telemetry.consent.state;
  const before = outcomes.length;
  telemetry.record('clients' in globalThis ? 'service' : 'worker', true);
  await telemetry.look();
  return outcomes[before]?.result;
}

if (inPage) Object.assign(globalThis, { commands });
else
  addEventListener('message', (event: MessageEvent & { waitUntil?: (promise: Promise<unknown>) => void }) => {
    if (!['state', 'record', 'flush'].includes(event.data)) return;
    const answered = answerTo(event.data).then((said) => (event.source ?? (globalThis as unknown as Worker)).postMessage(said));
    event.waitUntil?.(answered);
  });
