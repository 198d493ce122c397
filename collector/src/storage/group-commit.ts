/**
 * Group commit: batches that arrive during one commit share the next, which starts when the first returns. Where commits may run beside each
 * other, one does so only when a group is full or a commit is slow: two half groups cost more than a whole one.
 */

import { type Group, GroupBuilder } from './group.ts';
import type { Appended, Commit, Store } from './store.ts';

interface Waiter {
  readonly day: number;
  readonly resolve: (result: Appended) => void;
  readonly reject: (error: Error) => void;
}

/** Batches to be committed together, and the promises that wait for them, in the same order. */
interface Waiting {
  readonly group: Group;
  readonly waiters: readonly Waiter[];
}

/** What a commit of batches of these days has done. */
export function summaryOf(days: readonly number[], results: readonly Appended[], seconds: number): Commit {
  const counted = days.filter((_, i) => results[i] === 'counted');
  const newest = counted.length === 0 ? undefined : counted.reduce((a, b) => Math.max(a, b));
  return { batches: days.length, counted: counted.length, newest, seconds };
}

/** Commits beside each other: how many may run at a time, and the milliseconds after which one is slow. */
export interface Lanes {
  readonly most: number;
  readonly patience: number;
}

/**
 * @param commit resolves to the result for each batch, once the group is on the disk
 * @param onCommit called after each commit, before its batches are answered
 * @param lanes default: one commit at a time
 */
export function createGroupCommit(
  commit: (group: Group) => Promise<readonly Appended[]>,
  onCommit: (commit: Commit) => void = () => undefined,
  lanes: Lanes = { most: 1, patience: 0 },
): {
  readonly append: Store['append'];
  /** Resolves when everything appended so far is committed or refused. New batches may be appended meanwhile. */
  readonly settle: () => Promise<void>;
} {
  const builder = new GroupBuilder();
  let waiters: Waiter[] = [];
  const full: Waiting[] = [];
  const running = new Set<Promise<unknown>>();
  let isPlanned = false;
  /** Whether the last commit that began is slow. */
  let isSlow = false;
  let slow: NodeJS.Timeout | undefined;
  let last: Promise<unknown> | undefined;

  const take = (): Waiting => {
    const waiting = { group: builder.take(), waiters };
    waiters = [];
    return waiting;
  };
  const mayBegin = (): boolean => running.size === 0 || (running.size < lanes.most && (full.length > 0 || isSlow));
  /** Expects a commit within the time that it has. */
  const watch = (): void => {
    clearTimeout(slow);
    isSlow = false;
    if (lanes.most === 1) return;
    slow = setTimeout(() => {
      isSlow = running.size > 0;
      begin();
    }, lanes.patience);
  };
  const commitNext = (): void => {
    const waiting = full.shift() ?? take();
    const start = performance.now();
    watch();
    const committed = commit(waiting.group);
    running.add(committed);
    committed.then(
      (results) => {
        next(committed);
        const days = waiting.waiters.map(({ day }) => day);
        onCommit(summaryOf(days, results, (performance.now() - start) / 1_000));
        for (const [i, { resolve }] of waiting.waiters.entries()) resolve(results[i] as Appended);
      },
      (error: Error) => {
        next(committed);
        for (const { reject } of waiting.waiters) reject(error);
      },
    );
  };
  const begin = (): void => {
    isPlanned = false;
    while (mayBegin() && (full.length > 0 || !builder.isEmpty)) commitNext();
  };
  const next = (committed: Promise<unknown>): void => {
    running.delete(committed);
    if (running.size === 0) clearTimeout(slow);
    begin();
  };

  return {
    append: (entry) => {
      builder.add(entry);
      const appended = new Promise<Appended>((resolve, reject) => waiters.push({ resolve, reject, day: entry.day }));
      if (builder.isFull) full.push(take());
      // The first batch of a turn of the event loop waits for the others of that turn.
      if (!isPlanned && mayBegin()) {
        isPlanned = true;
        setImmediate(begin);
      }
      last = appended;
      return appended;
    },
    settle: async () => {
      await last?.catch(() => undefined);
      await Promise.allSettled(running); // commits that began before that of the last batch
    },
  };
}
