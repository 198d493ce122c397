/**
 * All that a device stores, under one key: consent, the ledger and the outbox. One write holds the claim of a slot and
 * the report that came of it, so no crash can part them.
 */

import type { Batch } from '@murmuration/shared';
import type { Storage } from '../adapters/storage.ts';
import { after, isPromise, type Maybe } from '../maybe.ts';
import type { Accounts } from './ledger.ts';

/** Everything stored. */
export interface State {
  consent?: 'granted' | 'denied';
  /** The greatest day seen, since 1970-01-01: a clock that goes back is held here. */
  day: number;
  accounts: Accounts;
  /** Batches as they are sent. */
  outbox: Batch[];
  /** What the last of them begins with while it may still grow; empty once its bytes are fixed. */
  open: string;
}

/** The format of the stored text. */
const VERSION = 1;

/** What is stored; an empty object where nothing is, undefined where it is none of ours. */
function parse(text: string | null): Partial<State> | undefined {
  try {
    const { v, ...state } = JSON.parse(text ?? `{"v":${VERSION}}`);
    return v === VERSION ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Settles a value that may be later, or may throw, as a value or as undefined. */
function attempt<T>(run: () => Maybe<T>): Maybe<T | undefined> {
  try {
    const value = run();
    return isPromise(value) ? value.catch(() => undefined) : value;
  } catch {
    return undefined;
  }
}

/** The one holder of the state in this context. */
export interface Store {
  /** Reads what is stored, alone: where the storage has a lock, once it is granted. Undefined when it can't be read. */
  readonly read: () => Maybe<Partial<State> | undefined>;
  /** Writes the state; false when that failed. Writes never overtake each other. */
  readonly save: (state: State) => Maybe<boolean>;
  /** Lets another context take over. */
  readonly close: () => void;
}

export function openStore(storage: Storage, key: string): Store {
  const lock = storage.lock && attempt(() => storage.lock?.(key));
  let tail: Maybe<unknown>;
  const write = (state: State): Maybe<boolean> =>
    after(
      attempt(() => after(storage.setItem(key, JSON.stringify({ v: VERSION, ...state })), () => true)),
      (written) => written === true,
    );
  return {
    read: () =>
      after(lock, () =>
        after(
          attempt(() => after(storage.getItem(key), (text) => ({ text }))),
          (read) => read && parse(read.text),
        ),
      ),
    save: (state) => {
      const saved = after(tail, () => write(state));
      tail = isPromise(saved) ? saved : undefined;
      return saved;
    },
    close: () => void after(tail, () => after(lock, (release) => release?.())),
  };
}
