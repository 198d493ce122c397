/**
 * A store on PostgreSQL that goes on taking batches while its database does not answer: it acknowledges them once they are in a local log,
 * and forwards them later. They are forwarded as groups with the ids that they came with, in the transaction in which any batch is counted.
 * So a batch that another collector has taken meanwhile, or that was forwarded by a process that was killed then, is a duplicate.
 */

import { StoreAway, StoreFull } from '../../../base/fault.ts';
import type { Shapes } from '../../../schemas/catalog.ts';
import { batchesOf, createGroupCommit, type Group, only, type Partition } from '../../group-commit.ts';
import type { Appended, Entry, Store } from '../../store.ts';
import type { PostgresStore } from '../postgres.ts';
import { OtherVersion } from '../tables.ts';
import type { SpillLog } from './spill-log.ts';

// Several groups as one, so that a spill of many small groups is forwarded in few transactions.

/** The batches of groups, in order, in one group. */
function merged(groups: readonly Group[]): Group {
  const partitions: Partition[] = [];
  const indices = new Map<string, number>();
  const indexOf = (partition: Partition): number => {
    const name = partition.join('\n');
    const known = indices.get(name);
    if (known !== undefined) return known;
    indices.set(name, partitions.length);
    return partitions.push(partition) - 1;
  };
  const words = new Int32Array(groups.reduce((sum, group) => sum + group.words.length, 0));
  let from = 0;
  for (const group of groups) {
    const moved = group.partitions.map(indexOf);
    words.set(group.words, from);
    for (const at of batchesOf(group.words)) words[from + at] = moved[group.words[at] as number] as number;
    from += group.words.length;
  }
  return { partitions, words };
}

/** Milliseconds between two looks at whether the database answers, and after one that left something behind. */
const EVERY = 250;
const LATER = 10_000;

/** Milliseconds for which a store that is closed goes on forwarding. */
const CLOSING = 10_000;

/** A group that waits, and its number. */
interface Waiting {
  readonly n: number;
  readonly group: Group;
}

/** True if an error says that no group can be forwarded now. */
const isOfAll = (error: unknown): boolean => error instanceof StoreAway || error instanceof StoreFull || error instanceof OtherVersion;

/**
 * Adds a log to a store. Closing the store forwards what can be forwarded, and leaves the rest to the next process.
 *
 * @param closing milliseconds for which closing it forwards
 */
export function withSpill(store: PostgresStore, log: SpillLog, onTrouble: (message: string) => void, closing: number = CLOSING): Store {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<boolean> = Promise.resolve(true);
  let end = Number.POSITIVE_INFINITY;
  /** Groups that are told to be stuck. */
  const stuck = new Set<number>();

  /** Forwards groups in one transaction, and deletes them. Returns whether there was room for all. */
  const forward = async (groups: readonly Waiting[]): Promise<boolean> => {
    const results = await store.forward(merged(groups.map(({ group }) => group)));
    for (const result of ['conflict', 'expired'] as const) {
      const dropped = results.filter((each) => each === result).length;
      if (dropped > 0) onTrouble(`${dropped} batches were acknowledged while the database was away, and are dropped now: ${result}`);
    }
    let i = 0;
    const leftOf = ({ words }: Group): Int32Array =>
      only(
        words,
        batchesOf(words).filter(() => results[i++] === 'full'),
      );
    const left = groups.map(({ n, group }) => ({ n, words: leftOf(group) }));
    log.done(left);
    return left.every(({ words }) => words.length === 0);
  };
  /** Tells that a group can't be forwarded. The others don't wait for it. */
  const skip = (n: number, error: unknown): void => {
    if (!stuck.has(n)) onTrouble(`group ${n} of ${log.file} can't be forwarded: ${(error as Error).message}`);
    stuck.add(n);
  };
  const read = (n: number): readonly Waiting[] => {
    try {
      return [{ n, group: log.read(n) }];
    } catch (error) {
      skip(n, error);
      return [];
    }
  };
  /** Forwards groups, one by one if they can't be forwarded together. Returns whether there was room for those that could be. */
  const forwardEach = async (groups: readonly Waiting[]): Promise<boolean> => {
    const [first, ...others] = groups;
    if (first === undefined) return true;
    try {
      return await forward(groups);
    } catch (error) {
      if (isOfAll(error)) throw error;
      if (others.length === 0) {
        skip(first.n, error);
        return true;
      }
    }
    let isWhole = true;
    for (const each of groups) isWhole = (await forwardEach([each])) && isWhole;
    return isWhole;
  };
  /** Forwards all groups once. Returns whether none is left. */
  const forwardAll = async (): Promise<boolean> => {
    let isWhole = true;
    for (let ns = log.after(0); ns.length > 0 && performance.now() < end; ns = log.after(ns.at(-1) as number))
      isWhole = (await forwardEach(ns.flatMap(read))) && isWhole;
    if (!isWhole) onTrouble('batches that were acknowledged while the database was away wait until there is room for them');
    return log.bytes === 0;
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
      end = performance.now() + closing;
      clearTimeout(timer);
      await working;
      if (!(await look()))
        onTrouble(`${log.bytes} bytes of batches are left in the spill; the next collector with its folder forwards them`);
      await store.close();
      log.close();
    },
  };
}
