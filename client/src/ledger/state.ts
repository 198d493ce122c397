/**
 * All that a device stores, under one key: the decision on consent, the ledger and the outbox. One transaction holds the claim of
 * a slot and the report that came of it, so no crash can part them.
 */

import { checksum64, DAYS, type Period, type SchemaDocument } from '@murmuration/shared';
import { type Decision, UNDECIDED } from './decision.ts';
import { type Account, type Accounts, openWindows } from './ledger.ts';
import type { QueuedBatch } from './queued.ts';

/** The format of what is stored. */
const VERSION = 2;

/** The device, as it is stored. A transaction reads one, changes it, and writes it back. */
export interface State {
  readonly v: typeof VERSION;
  decision: Decision;
  /** The greatest day seen, since 1970-01-01: a clock that goes back is held here. */
  day: number;
  /** How many batches of that day there have been. */
  batches: number;
  accounts: Accounts;
  outbox: QueuedBatch[];
  /** Milliseconds since 1970 before which nothing is sent: the collector asked for it. */
  pause: number;
  /** Metrics that the collector has retired, each with the schema that was answered so. */
  readonly retired: { [metric: string]: string };
  /** Where devices are sampled: below the rate times 2^32, this one takes part. */
  draw?: number | undefined;
  /** Where metrics are assigned at random: this device's order of them. */
  order?: readonly string[] | undefined;
}

/** An object without a prototype: a metric may have any name. */
const bare = <T extends object>(members: T): T => Object.assign(Object.create(null), members);

/** A device that has stored nothing. */
export const emptyState = (): State => ({
  v: VERSION,
  decision: UNDECIDED,
  day: 0,
  batches: 0,
  accounts: bare({}),
  outbox: [],
  pause: 0,
  retired: bare({}),
  draw: undefined, // named, so that they take the place of what is forgotten
  order: undefined,
});

/** The period of so many days. */
const periodOf = (days: number): Period => (Object.keys(DAYS) as Period[]).find((period) => DAYS[period] === days) as Period;

/**
 * A device that has erased, or lost, what it stored: every metric counts as answered today, and the whole budget as spent, for as
 * long as any version of the schema has promised.
 *
 * @param accounts what is erased, as far as it is known
 */
export function spentState({ metrics, budget }: Pick<SchemaDocument, 'metrics' | 'budget'>, accounts: Accounts, day: number): State {
  const { limit, days } = openWindows(accounts, day, budget);
  const spent = [{ epsilon: limit, budget: { epsilon: limit, per: periodOf(days) }, day }];
  const tombstones: [string, Account][] = Object.keys(metrics).map((name, i) => [name, { day, by: '', spent: i > 0 ? [] : spent }]);
  return { ...emptyState(), day, accounts: bare(Object.fromEntries(tombstones)) };
}

/** JSON after its checksum, which finds damage, not forgery. Its length does not vary with what is stored. */
const summed = (json: string): string => checksum64(json) + json;

/** The text that is stored. */
export const stateText = (state: State): string => summed(JSON.stringify(state));

/** What is stored; undefined, or an error, where it is damaged or of another format. */
export function parseState(text: string): State | undefined {
  const json = text.slice(text.indexOf('{'));
  const state = JSON.parse(json) as State;
  if (state.v !== VERSION || text !== summed(json)) return undefined;
  return { ...state, accounts: bare(state.accounts), retired: bare(state.retired) };
}
