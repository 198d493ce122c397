/** Group commit: whatever arrives during one commit shares the next, which starts when the last returns. */

import { type Group, GroupBuilder } from './group.ts';
import type { Appended, Store } from './store.ts';

interface Waiter {
  readonly resolve: (result: Appended) => void;
  readonly reject: (error: Error) => void;
}

/** Batches to be committed together, and who waits for each, in the same order. */
interface Waiting {
  readonly group: Group;
  readonly waiters: readonly Waiter[];
}

/** @param commit resolves, when a group is on the disk, to what became of each batch */
export function createGroupCommit(commit: (group: Group) => Promise<readonly Appended[]>): {
  readonly append: Store['append'];
  /** Resolves when what was appended so far is committed, or was refused. Others may go on appending. */
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
      if (!isRunning) setImmediate(commitNext); // the first of a turn waits for the others of the same turn
      isRunning = true;
      last = appended;
      return appended;
    },
    settle: async () => {
      await last?.catch(() => undefined);
    },
  };
}
