/** Worker threads: one that answers requests in order, with one reply each, and a queue of tasks before one. */

import type { TransferListItem, Worker } from 'node:worker_threads';
import { refusal } from './refusal.ts';

interface Waiter<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that answers requests. */
export interface Thread<Request, Reply> {
  /** @throws {Error} when the thread has ended, or ends before it replies */
  readonly ask: (request: Request, transfer?: readonly TransferListItem[]) => Promise<Reply>;
  /** The next unsolicited reply, from a thread that announces when it is ready. */
  readonly reply: () => Promise<Reply>;
  /** Resolves to the reason when the thread has ended. */
  readonly ended: Promise<Error>;
}

/** The URL of a thread's file, as source or as built. It is beside the module of this URL. */
export const threadFile = (module: string, name: string): URL => new URL(`./${name}${module.endsWith('.ts') ? '.ts' : '.js'}`, module);

/**
 * Receives a thread's replies.
 *
 * @param over the error message for requests when the thread has ended on its own
 * @param isReply whether a message is a reply; other messages are ignored here
 */
export function connect<Request, Reply>(
  worker: Worker,
  over: string,
  isReply: (message: unknown) => boolean = () => true,
): Thread<Request, Reply> {
  const waiters: Waiter<Reply>[] = [];
  let failed: Error | undefined;
  const fail = (error: Error): void => {
    failed ??= error;
    for (const { reject } of waiters.splice(0)) reject(error);
  };
  worker.on('error', fail);
  const ended = new Promise<Error>((resolve) =>
    worker.on('exit', () => {
      fail(new Error(over));
      resolve(failed as Error);
    }),
  );
  worker.on('message', (message: unknown) => {
    if (isReply(message)) waiters.shift()?.resolve(message as Reply);
  });
  const reply = (): Promise<Reply> => new Promise((resolve, reject) => waiters.push({ resolve, reject }));
  return {
    ask: (request, transfer = []) => {
      if (failed !== undefined) return Promise.reject(failed);
      worker.postMessage(request, transfer);
      return reply();
    },
    reply,
    ended,
  };
}

// A thread that works on one task at a time, and the tasks that wait for it. Tasks can be cancelled, and a task that takes too long ends
// its thread.
//
// Piscina 5.3.2 was tried. With at most one thread and none kept, aborting a running task leaves the next one waiting for ever; with one
// kept, `close({ force: true })` waits for the running task (2 s of a task of 2 s). Aborting always ends the thread at once, although
// starting another takes longer than most tasks.

/** Limits of the queue, times in milliseconds. */
export interface TaskLimits {
  /** Tasks that may wait. Beyond that, the next is asked to retry later. */
  readonly mostWaiting: number;
  /** How long a task may run. */
  readonly longest: number;
  /** How long a task may run whose result nobody waits for. */
  readonly longestAlone: number;
  /** How long a thread without tasks is kept. Its heap is as large as its largest task made it. */
  readonly idle: number;
}

export const TASK_LIMITS: TaskLimits = { mostWaiting: 200, longest: 30_000, longestAlone: 1_000, idle: 10_000 };

interface Task<Request, Reply> {
  readonly request: Request;
  readonly isWelcome: () => boolean;
  readonly signal: AbortSignal;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** A queue of tasks. */
export interface TaskQueue<Request, Reply> {
  /**
   * Resolves to the reply. `isWelcome` is asked before the task begins.
   *
   * @throws {Refusal} 503 when too many tasks wait, when the task is not welcome, took too long, or the queue has ended
   */
  readonly run: (request: Request, signal: AbortSignal, isWelcome?: () => boolean) => Promise<Reply>;
  /** The number of tasks that wait or run. */
  readonly waiting: () => number;
  /** Refuses the tasks that wait, and the running one if it takes longer than this many milliseconds; then ends the thread. */
  readonly end: (grace: number) => Promise<void>;
}

const busy = (expected: string): Error => refusal('busy', expected, 'more; try again later');
const stopping = (): Error => refusal('busy', 'a collector that is not stopping', 'one that is; try again later');

/** Creates a queue. No thread runs until the first task. `isReply` tells replies from other messages of the thread. */
export function createTaskQueue<Request, Reply>(
  start: () => Worker,
  { mostWaiting, longest, longestAlone, idle }: TaskLimits = TASK_LIMITS,
  isReply?: (message: unknown) => boolean,
): TaskQueue<Request, Reply> {
  const waiting: Task<Request, Reply>[] = [];
  let thread: { readonly worker: Worker; readonly ask: Thread<Request, Reply>['ask'] } | undefined;
  let running: Promise<void> | undefined;
  let isEnded = false;
  let resting: NodeJS.Timeout | undefined;

  const endThread = async (): Promise<void> => {
    const ended = thread?.worker;
    thread = undefined;
    await ended?.terminate();
  };
  const open = (): NonNullable<typeof thread> => {
    const worker = start();
    const { ask, ended } = connect<Request, Reply>(worker, 'the thread has ended', isReply);
    const opened = { worker, ask };
    void ended.then(() => {
      if (thread === opened) thread = undefined;
    });
    return opened;
  };
  const perform = async ({ request, isWelcome, signal, resolve, reject }: Task<Request, Reply>): Promise<void> => {
    if (!isWelcome()) return reject(busy('room for the answer'));
    const stop = (): void => void endThread();
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      stop();
    }, longest);
    let alone: NodeJS.Timeout | undefined;
    const abandon = (): void => {
      alone = setTimeout(stop, longestAlone);
    };
    signal.addEventListener('abort', abandon);
    try {
      thread ??= open();
      resolve(await thread.ask(request));
    } catch (error) {
      reject(isLate ? busy(`an answer that takes at most ${longest / 1_000} s`) : isEnded ? stopping() : error);
    } finally {
      signal.removeEventListener('abort', abandon);
      clearTimeout(late);
      clearTimeout(alone);
    }
  };
  const work = async (): Promise<void> => {
    clearTimeout(resting);
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await perform(task);
    running = undefined;
    if (!isEnded) resting = setTimeout(() => void endThread(), idle).unref();
  };
  return {
    run: (request, signal, isWelcome = () => true) =>
      new Promise((resolve, reject) => {
        if (isEnded) return reject(stopping());
        if (waiting.length >= mostWaiting) return reject(busy(`at most ${mostWaiting} estimates that wait`));
        if (signal.aborted) return reject(signal.reason);
        const task = { request, isWelcome, signal, resolve, reject };
        waiting.push(task);
        const leave = (): void => {
          const place = waiting.indexOf(task);
          if (place >= 0) waiting.splice(place, 1);
          reject(signal.reason);
        };
        signal.addEventListener('abort', leave, { once: true });
        running ??= work();
      }),
    waiting: () => waiting.length + Number(running !== undefined),
    end: async (grace) => {
      isEnded = true;
      for (const { reject } of waiting.splice(0)) reject(stopping());
      const late = setTimeout(() => void endThread(), grace);
      await running;
      clearTimeout(late);
      clearTimeout(resting);
      await endThread();
    },
  };
}
