/**
 * All that a device stores, under one key: consent, the ledger and the outbox. One write holds the claim of a slot and
 * the report that came of it, so no crash can part them.
 */

import type { Batch } from '@murmuration/shared';
import type { Storage } from '../adapters/storage.ts';
import { after, isPromise, type Maybe } from '../maybe.ts';
import type { Accounts } from './ledger.ts';

/** A batch that waits. Once it was sent its bytes stay as they are. */
export interface Waiting {
  readonly day: number;
  readonly batch: Batch;
  sealed: boolean;
}

/** Everything stored. */
export interface State {
  consent?: 'granted' | 'denied';
  /** The greatest day seen, since 1970-01-01: a clock that goes back is held here. */
  day: number;
  accounts: Accounts;
  outbox: Waiting[];
}

const VERSION = 1;

/** The stored state, an empty one where there is none, null where the text is none of ours. */
function read(text: string | null): State | null {
  if (text === null) return { day: 0, accounts: {}, outbox: [] };
  try {
    const { v, ...state } = JSON.parse(text) as State & { readonly v: number };
    return v === VERSION && Array.isArray(state.outbox) && typeof state.accounts === 'object' ? state : null;
  } catch {
    return null;
  }
}

/** Today, held at the greatest day seen. */
export function advance(state: State, day: number): number {
  state.day = Math.max(state.day, day);
  return state.day;
}

/** The one holder of the state in this context. */
export interface Store {
  /** Settles when the state has been read, which is before this function returns when the storage is synchronous. */
  readonly opened: Maybe<void>;
  /** Writes the state; false when that failed. Writes never overtake each other. */
  readonly save: (state: State) => Maybe<boolean>;
  /** Lets another context take over. */
  readonly close: () => void;
}

/**
 * Reads the state, alone: where the storage has a lock, after it was granted.
 *
 * @param opened receives the state; null when what is stored can't be read
 */
export function openStore(storage: Storage, key: string, opened: (state: State | null) => void): Store {
  let release: (() => void) | undefined;
  let closed = false;
  let tail: Maybe<boolean> = true;
  const load = (): Maybe<void> => {
    let text: Maybe<string | null>;
    try {
      text = storage.getItem(key);
    } catch {
      return opened(null);
    }
    return isPromise(text) ? text.then(read, () => null).then(opened) : opened(read(text));
  };
  const write = (state: State): Maybe<boolean> => {
    try {
      const written = storage.setItem(key, JSON.stringify({ v: VERSION, ...state }));
      return isPromise(written) ? written.then(() => true, () => false) : true;
    } catch {
      return false;
    }
  };
  const locked = storage.lock?.(key).then((granted) => {
    release = granted;
    return closed ? granted() : load();
  }, load);
  return {
    opened: locked ?? load(),
    save: (state) => {
      tail = isPromise(tail) ? tail.then(() => write(state)) : write(state);
      return tail;
    },
    close: () => {
      closed = true;
      after(tail, () => release?.());
    },
  };
}
