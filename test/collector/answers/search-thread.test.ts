/** A question whose strings must be discovered first has a thread of its own: no other question waits for it. */

import { Worker } from 'node:worker_threads';
import { choice, defineSchema, discover } from '@murmuration/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEstimating, type Estimating } from '#collector/answers/estimates-thread.ts';
import type { Selected, Task } from '#collector/answers/tasks.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';

/** Replies with its number and the kind of the task; to a series only once the flag is 1. */
const CODE = `
  const { parentPort, threadId, workerData: flag } = require('node:worker_threads');
  parentPort.on('message', ({ kind }) => {
    if (kind === 'series') while (Atomics.load(flag, 0) !== 1) Atomics.wait(flag, 0, 0);
    const fields = new TextEncoder().encode(JSON.stringify({ threadId, kind }));
    parentPort.postMessage({ value: { fields, list: 'rows', chunks: [], starts: new Uint32Array(1) } });
  });
`;

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 100, per: 'month' },
  metrics: {
    word: discover({ epsilon: 4, every: 'week', description: 'Which word?' }),
    plan: choice(['free', 'paid'], { epsilon: 1, every: 'week', description: 'Which plan?' }),
  },
});
const { metrics } = createCatalog([schema.document]);
const settings = { minimum: 1 };

function selected(name: string): Selected {
  const metric = metrics.find((each) => each.metric === name);
  if (metric === undefined) throw new Error(`expected a metric ${name}`);
  return { metric, range: {} };
}
const seriesOf = (name: string, candidates?: readonly string[]): Task => ({
  kind: 'series',
  of: [selected(name)],
  settings: { ...settings, ...(candidates && { candidates }) },
  parts: [],
  top: 5,
});

let flag: Int32Array<SharedArrayBuffer>;
let estimating: Estimating;
beforeEach(() => {
  flag = new Int32Array(new SharedArrayBuffer(4));
});
afterEach(async () => {
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  await estimating.close();
});

const open = (candidates: readonly string[] = []): Estimating => {
  estimating = createEstimating({
    store: { totals: async () => [], source: { file: '/nonexistent/store.sqlite' } },
    candidates: new Map([['word', candidates]]),
    begin: () => new Worker(CODE, { eval: true, workerData: flag }),
  });
  return estimating;
};
/** Which thread answers. */
async function threadOf(task: Task): Promise<unknown> {
  const { answer, release } = await estimating.answer(task, 0, new AbortController().signal);
  release();
  return JSON.parse(new TextDecoder().decode(answer.fields)).threadId;
}
const estimates = (name: string): Task => ({ kind: 'estimates', of: [selected(name)], settings });
const finish = (): void => {
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
};

test('estimates are answered while the strings of a series are searched for', async () => {
  open();
  const searching = threadOf(seriesOf('word'));
  const plan = await threadOf(estimates('plan'));
  expect(estimating.waiting()).toBe(1);
  finish();
  expect(await searching).not.toBe(plan);
  expect(estimating.waiting()).toBe(0);
});

test.each([
  ['the series of a list', () => seriesOf('plan'), []],
  ['a series whose candidates are asked for', () => seriesOf('word', ['anchor']), []],
  ['a series whose candidates the collector knows', () => seriesOf('word'), ['anchor']],
])('%s needs no search', async (_, task, candidates) => {
  open(candidates);
  finish();
  expect(await threadOf(task())).toBe(await threadOf(estimates('plan')));
});
