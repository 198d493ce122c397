/**
 * A store on PostgreSQL that goes on taking batches while its database does not answer: it acknowledges them once they are in a local log,
 * and forwards them later. They are forwarded as groups with the ids that they came with, in the transaction in which any batch is counted.
 * So a batch that another collector has taken meanwhile, or that was forwarded by a process that was killed then, is a duplicate.
 */

import { batchesOf, type Group, only } from '../group.ts';
import { createGroupCommit } from '../group-commit.ts';
import type { PostgresStore } from '../postgres/postgres.ts';
import { type Appended, type Entry, type Shapes, type Store, StoreAway } from '../store.ts';
import type { SpillLog } from './spill-log.ts';

/** Milliseconds between two looks at whether the database answers, and after one that left something behind. */
const EVERY = 250;
const LATER = 10_000;

/** Adds a log to a store. Closing the store forwards what can be forwarded, and leaves the rest to the next process. */
export function withSpill(store: PostgresStore, log: SpillLog, onTrouble: (message: string) => void): Store {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<boolean> = Promise.resolve(true);

  /** Forwards a group. Returns the batches that there is no room for yet. */
  const forward = async (group: Group): Promise<Int32Array> => {
    const results = await store.forward(group);
    for (const result of ['conflict', 'expired'] as const) {
      const dropped = results.filter((each) => each === result).length;
      if (dropped > 0) onTrouble(`${dropped} batches were acknowledged while the database was away, and are dropped now: ${result}`);
    }
    return only(
      group.words,
      batchesOf(group.words).filter((_, i) => results[i] === 'full'),
    );
  };
  /** Forwards all groups once. Returns whether none is left. */
  const forwardAll = async (): Promise<boolean> => {
    let isWhole = true;
    for (let spilled = log.after(0); spilled !== undefined; spilled = log.after(spilled.n)) {
      const left = await forward(spilled.group);
      isWhole &&= left.length === 0;
      log.done(spilled, left);
    }
    if (!isWhole) onTrouble('batches that were acknowledged while the database was away wait until there is room for them');
    return isWhole;
  };
  const look = async (): Promise<boolean> => {
    if (log.bytes === 0) return true;
    if (store.isAway?.() === true) return false;
    try {
      return await forwardAll();
    } catch (error) {
      if (!(error instanceof StoreAway)) onTrouble(`batches of the spill wait: ${(error as Error).message}`);
      return false;
    }
  };
  const plan = (delay: number): void => {
    if (isClosed || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      working = working.then(look); // one at a time: two would forward the same groups
      void working.then((isDone) => {
        if (!isDone) plan(store.isAway?.() === true ? EVERY : LATER);
      });
    }, delay).unref();
  };
  const spill = createGroupCommit(async (group) => {
    log.put(group);
    plan(EVERY);
    return batchesOf(group.words).map((): Appended => 'counted');
  });
  plan(0); // what a former process has left

  return {
    ...store,
    append: (entry: Entry) =>
      store.append(entry).catch((error: unknown) => {
        if (!(error instanceof StoreAway) || isClosed) throw error;
        return spill.append(entry);
      }),
    publish: async (shapes: Shapes) => {
      log.publish(shapes);
      await store.publish(shapes);
    },
    spilled: () => log.bytes,
    close: async () => {
      await spill.settle();
      isClosed = true;
      clearTimeout(timer);
      await working;
      if (!(await look()))
        onTrouble(`${log.bytes} bytes of batches are left in the spill; the next collector with its folder forwards them`);
      await store.close();
      log.close();
    },
  };
}
