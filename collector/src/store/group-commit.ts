/** Group commit: batches that arrive during one commit share the next, which starts when the first returns. */

import { type Group, GroupBuilder } from './group.ts';
import type { Appended, Store } from './store.ts';

interface Waiter {
  readonly resolve: (result: Appended) => void;
  readonly reject: (error: Error) => void;
}

/** Batches to be committed together, and the promises that wait for them, in the same order. */
interface Waiting {
  readonly group: Group;
  readonly waiters: readonly Waiter[];
}

/** @param commit resolves to the result for each batch, once the group is on the disk */
export function createGroupCommit(commit: (group: Group) => Promise<readonly Appended[]>): {
  readonly append: Store['append'];
  /** Resolves when everything appended so far is committed or refused. New batches may be appended meanwhile. */
  readonly settle: () => Promise<void>;
} {
  const builder = new GroupBuilder();
  let waiters: Waiter[] = [];
  const full: Waiting[] = [];
  let isRunning = false;
  let last: Promise<unknown> | undefined;

  const take = (): Waiting => {
    const waiting = { group: builder.take(), waiters };
    waiters = [];
    return waiting;
  };
  const commitNext = (): void => {
    const waiting = full.shift() ?? take();
    commit(waiting.group).then(
      (results) => {
        next();
        for (const [i, { resolve }] of waiting.waiters.entries()) resolve(results[i] as Appended);
      },
      (error: Error) => {
        next();
        for (const { reject } of waiting.waiters) reject(error);
      },
    );
  };
  const next = (): void => {
    isRunning = full.length > 0 || !builder.isEmpty;
    if (isRunning) commitNext();
  };

  return {
    append: (entry) => {
      builder.add(entry);
      const appended = new Promise<Appended>((resolve, reject) => waiters.push({ resolve, reject }));
      if (builder.isFull) full.push(take());
      if (!isRunning) setImmediate(commitNext); // the first batch of a turn of the event loop waits for the others of that turn
      isRunning = true;
      last = appended;
      return appended;
    },
    settle: async () => {
      await last?.catch(() => undefined);
    },
  };
}
