/** Worker threads that answer requests in order, with one reply each. */

import type { TransferListItem, Worker } from 'node:worker_threads';

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
 * @param over the error message for requests when the thread has ended by itself
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
