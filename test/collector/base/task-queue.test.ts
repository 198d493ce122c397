/** The queue of the estimates thread: order, bounds, cancellation, time limits and its end. Tasks run until they are told to end. */

import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { createTaskQueue, TASK_LIMITS, type TaskLimits, type TaskQueue } from '#collector/base/threads.ts';

/** A task: a number that is given back, once the flag, if it has one, is 1. The flag is 2 while the task runs. */
interface Task {
  readonly number: number;
  readonly flag?: Int32Array;
}

/** What the thread says: the number, and how many tasks it has run. */
interface Reply {
  readonly number: number;
  readonly ran: number;
}

const CODE = `
  const { parentPort } = require('node:worker_threads');
  let ran = 0;
  parentPort.on('message', ({ number, flag }) => {
    ran++;
    if (flag) {
      Atomics.store(flag, 0, 2);
      Atomics.notify(flag, 0);
      while (Atomics.load(flag, 0) !== 1) Atomics.wait(flag, 0, 2);
    }
    parentPort.postMessage({ value: { number, ran } });
  });
`;

let queue: TaskQueue<Task, Reply>;
let threads: number;
const open = (limits: Partial<TaskLimits> = {}): void => {
  threads = 0;
  const begin = (): Worker => {
    threads++;
    return new Worker(CODE, { eval: true });
  };
  queue = createTaskQueue<Task, Reply>(begin, { ...TASK_LIMITS, longest: 10 ** 8, longestAlone: 10 ** 8, idle: 10 ** 8, ...limits });
};
afterEach(() => queue.end(0));

const flag = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
const begun = (of: Int32Array): Promise<void> => expect.poll(() => Atomics.load(of, 0)).toBe(2);
const end = (of: Int32Array): void => {
  Atomics.store(of, 0, 1);
  Atomics.notify(of, 0);
};
const NEVER = new AbortController().signal;
const run = (number: number, signal = NEVER): Promise<Reply> => queue.run({ number }, signal);
const busy = { status: 503, code: 'busy' };

test('tasks run one after the other on one thread, in order', async () => {
  open();
  const replies = await Promise.all([1, 2, 3].map((number) => run(number)));
  expect(replies).toEqual([1, 2, 3].map((number) => ({ number, ran: number })));
  expect(threads).toBe(1);
});

test('beyond the most that may wait the next is refused, and later one is taken again', async () => {
  open({ mostWaiting: 2 });
  const long = flag();
  const first = queue.run({ number: 1, flag: long }, NEVER);
  await begun(long);
  const others = [run(2), run(3)];
  await expect(run(4)).rejects.toMatchObject(busy);
  end(long);
  await Promise.all([first, ...others]);
  expect(await run(5)).toEqual({ number: 5, ran: 4 });
});

test('a task whose client goes while it waits is never run, and takes no place', async () => {
  open({ mostWaiting: 1 });
  const [long, control] = [flag(), new AbortController()];
  const first = queue.run({ number: 1, flag: long }, NEVER);
  await begun(long);
  const gone = run(2, control.signal);
  control.abort();
  await expect(gone).rejects.toThrow(/abort/);
  expect(queue.waiting()).toBe(1); // the first
  const next = run(3);
  end(long);
  await first;
  expect(await next).toEqual({ number: 3, ran: 2 });
});

test('a running task whose client has gone ends with its thread, and the next runs on another', async () => {
  open({ longestAlone: 0 });
  const [long, control] = [flag(), new AbortController()];
  const gone = queue.run({ number: 1, flag: long }, control.signal);
  await begun(long);
  const next = run(2);
  control.abort();
  await expect(gone).rejects.toThrow(/abort/);
  expect(await next).toEqual({ number: 2, ran: 1 });
  expect(threads).toBe(2);
});

test('a task that takes too long is refused, and the next is answered', async () => {
  open({ longest: 100 });
  const late = queue.run({ number: 1, flag: flag() }, NEVER);
  await expect(late).rejects.toMatchObject(busy);
  expect(threads).toBe(1);
});

test('a task that can not be sent is told so, and the next is answered', async () => {
  open();
  await expect(queue.run({ number: (() => 1) as never }, NEVER)).rejects.toThrow(/could not be cloned/);
  expect(await run(2)).toEqual({ number: 2, ran: 1 });
});

test('a task without room for its answer is refused before it runs', async () => {
  open();
  await expect(queue.run({ number: 1 }, NEVER, () => false)).rejects.toMatchObject(busy);
  expect(await run(2)).toEqual({ number: 2, ran: 1 });
});

test('an idle thread ends, and the next task starts another', async () => {
  open({ idle: 0 });
  await run(1);
  await expect.poll(async () => (await run(2)).ran).toBe(1);
  expect(threads).toBeGreaterThan(1);
});

test('the end refuses all that waits and what runs too long, and whatever comes later', async () => {
  open();
  const long = flag();
  const all = Promise.allSettled([queue.run({ number: 1, flag: long }, NEVER), run(2), run(3)]);
  await begun(long);
  await queue.end(0);
  expect(await all).toEqual(Array.from({ length: 3 }, () => ({ status: 'rejected', reason: expect.objectContaining(busy) })));
  await expect(run(4)).rejects.toMatchObject(busy);
});

test('the end lets the running task finish in its time', async () => {
  open();
  const long = flag();
  const first = queue.run({ number: 1, flag: long }, NEVER);
  await begun(long);
  const ended = queue.end(10 ** 8);
  end(long);
  expect(await first).toEqual({ number: 1, ran: 1 });
  await ended;
});
