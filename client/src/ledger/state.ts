/**
 * All that a device stores. Under one key the ledger and the outbox: one write holds the claim of a slot and the report that
 * came of it, so no crash can part them. Under another what the person decided, which any tab may write at any time.
 */

import { type Budget, DAYS } from '@murmuration/shared';
import type { Storage } from '../adapters/storage.ts';
import { after, attempt, type Maybe } from '../maybe.ts';
import type { Batch } from '../outbox.ts';
import { type Account, type Accounts, openWindows } from './ledger.ts';

/** The format of what is stored. */
const VERSION = 1;

/** The ledger and the outbox. */
export interface State {
  readonly v: typeof VERSION;
  /** The greatest day seen, since 1970-01-01: a clock that goes back is held here. */
  day: number;
  /** How many batches of that day there have been. */
  batches: number;
  accounts: Accounts;
  outbox: readonly Batch[];
  /** Where devices are sampled: below the rate times 2^32, this one takes part. */
  draw?: number | undefined;
  /** Where metrics are assigned at random: this device's order of them. */
  order?: readonly string[] | undefined;
}

/** What a person decides. `forgotten` is done once it is stored as `denied`. */
export type Decision = 'granted' | 'denied' | 'forgotten';

/** Accounts without a prototype: a metric may have any name. */
const accountsOf = (accounts: object): Accounts => Object.assign(Object.create(null), accounts);

/** A device that has stored nothing. */
export const emptyState = (): State => ({ v: VERSION, day: 0, batches: 0, accounts: accountsOf({}), outbox: [] });

/**
 * A device that has erased, or lost, what it stored: the whole budget counts as spent, and every metric as answered, until
 * the window ends, and for as long as an older version has promised.
 *
 * @param accounts what is erased, as far as it is known
 */
export function spentState(names: readonly string[], accounts: Accounts, day: number, budget: Budget): State {
  const { days } = openWindows(accounts, day, budget);
  const spent = [{ epsilon: budget.epsilon, budget, day: day + days - DAYS[budget.per] }];
  const tombstones = names.map((name, i) => [name, { day, spent: i > 0 ? [] : spent }]);
  return { ...emptyState(), day, accounts: accountsOf(Object.fromEntries(tombstones)), draw: undefined, order: undefined };
}

/** What is stored, which may be nothing yet; undefined, or an error, where it is none of ours. */
function parse(text: string | null): State | undefined {
  const { v, accounts = {}, outbox = [], ...rest } = JSON.parse(text ?? `{"v":${VERSION}}`) as State;
  const isAccount = ({ day, spent }: Account): boolean => day >= 0 && spent.every(({ budget }) => budget.per in DAYS);
  if (v !== VERSION || !Array.isArray(outbox) || !Object.values(accounts).every(isAccount)) return undefined;
  return { ...emptyState(), ...rest, outbox, accounts: accountsOf(accounts) };
}

/** The storage as telemetry uses it. Writes never overtake each other. */
export interface Store {
  /** What is stored, alone: where the storage has a lock, once it is granted. Undefined when it can't be read. */
  readonly read: () => Maybe<State | undefined>;
  /** The same without the lock: what another context holds. */
  readonly peek: () => Maybe<State | undefined>;
  /** Writes the state, as it is when its turn comes; undefined when that failed. */
  readonly save: (state: () => State) => Maybe<true | undefined>;
  /** What the person has decided; null for nothing, undefined when it can't be read. */
  readonly decision: () => Maybe<string | null | undefined>;
  readonly decide: (decision: Decision) => Maybe<true | undefined>;
  /** Calls back when the person decides in another context. Returns what stops it. */
  readonly watch: (told: (decision: string | null) => void) => (() => void) | undefined;
  /** Lets another context take over. */
  readonly close: () => void;
}

export function openStore(storage: Storage, key: string): Store {
  const decisions = `${key}:consent`;
  const lock = attempt(() => storage.lock?.(key));
  let last: Maybe<unknown>;
  const write = (to: string, text: () => string): Maybe<true | undefined> => {
    const written = after(last, () => attempt(() => after(storage.setItem(to, text()), () => true as const)));
    last = written;
    return written;
  };
  const peek = (): Maybe<State | undefined> => attempt(() => after(storage.getItem(key), parse));
  return {
    peek,
    read: () => attempt(() => after(lock, peek)),
    save: (state) => write(key, () => JSON.stringify(state())),
    decision: () => attempt(() => storage.getItem(decisions)),
    decide: (decision) => write(decisions, () => decision),
    watch: (told) => storage.watch?.(decisions, told),
    close: () => void after(last, () => after(lock, (release) => release?.())),
  };
}
