/**
 * All that a device stores, under one key: consent, the ledger and the outbox. One write holds the claim of a slot and
 * the report that came of it, so no crash can part them.
 */

import { DAYS } from '@murmuration/shared';
import type { Storage } from '../adapters/storage.ts';
import { after, attempt, type Maybe } from '../maybe.ts';
import type { Batch } from '../outbox.ts';
import type { Account, Accounts } from './ledger.ts';

/** The format of what is stored. */
export const VERSION = 1;

/** Everything stored. */
export interface State {
  readonly v: typeof VERSION;
  consent?: 'granted' | 'denied';
  /** The greatest day seen, since 1970-01-01: a clock that goes back is held here. */
  day: number;
  readonly accounts: Accounts;
  outbox: readonly Batch[];
}

/** What is stored, which may be nothing yet; undefined, or an error, where it is none of ours. */
function parse(text: string | null): Partial<State> | undefined {
  const { accounts = {}, outbox = [], ...state } = JSON.parse(text ?? `{"v":${VERSION}}`) as State;
  const isAccount = ({ day, spent }: Account): boolean => day >= 0 && spent.every(({ budget }) => budget.per in DAYS);
  if (state.v !== VERSION || !Array.isArray(outbox) || !Object.values(accounts).every(isAccount)) return undefined;
  return { ...state, outbox, accounts: Object.assign(Object.create(null), accounts) };
}

/** The one holder of the state in this context. */
export interface Store {
  /** Reads what is stored, alone: where the storage has a lock, once it is granted. Undefined when it can't be read. */
  readonly read: () => Maybe<Partial<State> | undefined>;
  /** Writes the state; undefined when that failed. Writes never overtake each other. */
  readonly save: (state: State) => Maybe<true | undefined>;
  /** Lets another context take over. */
  readonly close: () => void;
}

export function openStore(storage: Storage, key: string): Store {
  const lock = attempt(() => storage.lock?.(key));
  let last: Maybe<unknown>;
  const write = (state: State): Maybe<true> => after(storage.setItem(key, JSON.stringify(state)), () => true as const);
  return {
    read: () => attempt(() => after(lock, () => after(storage.getItem(key), parse))),
    save: (state) => {
      const saved = after(last, () => attempt(() => write(state)));
      last = saved;
      return saved;
    },
    close: () => void after(last, () => after(lock, (release) => release?.())),
  };
}
