/** Worker threads: one that answers requests in order, with one reply each, and a queue of tasks before one. */

import { getPriority, setPriority } from 'node:os';
import { parentPort, type TransferListItem, type Worker } from 'node:worker_threads';
import { Fault, type FaultKind, kindOf, StoreAway, StoreFull } from './fault.ts';
import { refusal } from './refusal.ts';

interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread's reply to a request: a value, or an error, which loses its class on the way. */
export type Reply<T> = { readonly value: T } | { readonly error: unknown; readonly kind: FaultKind | undefined };

/** The reply of a request that failed. */
export const failed = (error: unknown): Reply<never> => ({ error, kind: kindOf(error) });

/** The value of a reply. @throws its error; a fault of a store has its class again */
function valueIn<T>(reply: Reply<T>): T {
  if ('value' in reply) return reply.value;
  const { error, kind } = reply;
  if (kind === undefined) throw error;
  const { message } = error as Error;
  throw kind === 'away' ? new StoreAway(message) : kind === 'full' ? new StoreFull(message) : new Fault(kind, message);
}

/** How far threads that compute are behind the process (nice), so that batches go first where CPUs are few; and the last place that there is. */
const [BEHIND, LAST] = [5, 19];

/** Answers the requests of the thread that this module runs in, each with one reply. @param transfer the buffers that a value gives away */
export function serve<Request, T>(work: (request: Request) => T | Promise<T>, transfer?: (value: T) => readonly TransferListItem[]): void {
  // Linux has a priority for each thread; elsewhere it is the whole process's.
  if (parentPort !== null && process.platform === 'linux') setPriority(Math.min(LAST, getPriority() + BEHIND));
  parentPort?.on('message', async (request: Request) => {
    try {
      const value = await work(request);
      parentPort?.postMessage({ value } satisfies Reply<T>, transfer?.(value));
    } catch (error) {
      parentPort?.postMessage(failed(error));
    }
  });
}

/** A thread that answers requests. */
export interface Thread<Request, Value> {
  /** @throws what the thread replies, or {Error} when it has ended, or ends before it replies */
  readonly ask: (request: Request, transfer?: readonly TransferListItem[]) => Promise<Value>;
  /** The next unsolicited reply, from a thread that announces when it is ready. */
  readonly reply: () => Promise<Value>;
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
export function connect<Request, Value>(
  worker: Worker,
  over: string,
  isReply: (message: unknown) => boolean = () => true,
): Thread<Request, Value> {
  const waiters: Waiter<Value>[] = [];
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
    if (!isReply(message)) return;
    const waiter = waiters.shift();
    try {
      waiter?.resolve(valueIn(message as Reply<Value>));
    } catch (error) {
      waiter?.reject(error);
    }
  });
  const reply = (): Promise<Value> => new Promise((resolve, reject) => waiters.push({ resolve, reject }));
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

interface Task<Request, Value> {
  readonly request: Request;
  readonly isWelcome: () => boolean;
  readonly signal: AbortSignal;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** A queue of tasks. */
export interface TaskQueue<Request, Value> {
  /**
   * Resolves to the value. `isWelcome` is asked before the task begins.
   *
   * @throws {Refusal} 503 when too many tasks wait, when the task is not welcome, took too long, or the queue has ended
   */
  readonly run: (request: Request, signal: AbortSignal, isWelcome?: () => boolean) => Promise<Value>;
  /** The number of tasks that wait or run. */
  readonly waiting: () => number;
  /** Refuses the tasks that wait, and the running one if it takes longer than this many milliseconds; then ends the thread. */
  readonly end: (grace: number) => Promise<void>;
}

const busy = (expected: string): Error => refusal('busy', expected, 'more; try again later');
const stopping = (): Error => refusal('busy', 'a collector that is not stopping', 'one that is; try again later');

/** Creates a queue. No thread runs until the first task. `isReply` tells replies from other messages of the thread. */
export function createTaskQueue<Request, Value>(
  start: () => Worker,
  { mostWaiting, longest, longestAlone, idle }: TaskLimits = TASK_LIMITS,
  isReply?: (message: unknown) => boolean,
): TaskQueue<Request, Value> {
  const waiting: Task<Request, Value>[] = [];
  let thread: { readonly worker: Worker; readonly ask: Thread<Request, Value>['ask'] } | undefined;
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
    const { ask, ended } = connect<Request, Value>(worker, 'the thread has ended', isReply);
    const opened = { worker, ask };
    void ended.then(() => {
      if (thread === opened) thread = undefined;
    });
    return opened;
  };
  const perform = async ({ request, isWelcome, signal, resolve, reject }: Task<Request, Value>): Promise<void> => {
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
