/** Worker threads that answer requests in order, with one reply each. */

import type { TransferListItem, Worker } from 'node:worker_threads';

interface Waiter<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** Such a thread. */
export interface Thread<Request, Reply> {
  /** @throws {Error} when the thread has ended, or ends before it replied */
  readonly ask: (request: Request, transfer?: readonly TransferListItem[]) => Promise<Reply>;
  /** The next reply, which nobody asked for: of a thread that says when it is ready. */
  readonly reply: () => Promise<Reply>;
  /** Resolves when the thread has ended, to why. */
  readonly ended: Promise<Error>;
}

/** A thread's file, as source or as built: it stands beside the module of this URL. */
export const threadFile = (module: string, name: string): URL => new URL(`./${name}${module.endsWith('.ts') ? '.ts' : '.js'}`, module);

/**
 * Takes a thread's replies.
 *
 * @param over what a request is told when the thread has ended of itself
 * @param isReply whether a message is one; what else comes is somebody else's
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
