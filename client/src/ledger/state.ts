/**
 * Everything that a device stores under its one key: the decision on consent, the ledger and the outbox. One transaction stores both the
 * claim of a slot and the report that results, so a crash cannot separate them.
 */

import { checksum64, type SchemaDocument } from '@murmuration/shared';
import { VERSION } from '../limits.ts';
import { type Account, type Accounts, openWindows } from './ledger.ts';
import type { QueuedBatch } from './queued.ts';

/** The stored state of a device. A transaction reads it, changes it, and writes it back. */
export interface State {
  readonly v: typeof VERSION;
  /** As in decision.ts. */
  decision: number;
  /** The greatest day seen, in days since 1970-01-01. It does not go back when the clock does. */
  day: number;
  /** The number of batches dated on that day. */
  batches: number;
  accounts: Accounts;
  outbox: QueuedBatch[];
  /** Until this time, in milliseconds since 1970, nothing is sent, because the collector asked for a pause. */
  pause: number;
  /** Where reports are sent alone: until this time no report is sent but the one that was tried last. */
  quiet: number;
  /** Metrics that the collector has retired, each with the schema under which it was retired. */
  readonly retired: { [metric: string]: string };
  /** With sampling: the device's draw. It takes part if this is below the rate times 2^32. */
  draw?: number | undefined;
  /** With metrics assigned at random: this device's order of them. */
  order?: readonly string[] | undefined;
  /** True if a note beside the ledger says that the person agrees. If it is erased, the person has refused. */
  noted?: boolean | undefined;
  /** The arm of each experiment, stored by recipes.ts. */
  arms?: { readonly [experiment: string]: string } | undefined;
}

/** An object without a prototype, because a metric may have any name. */
const bare = <T extends object>(members?: T): T => ({ __proto__: null, ...members }) as T;

/** The state of a device that has stored nothing. */
export const emptyState = (): State => ({
  v: VERSION,
  decision: 0,
  day: 0,
  batches: 0,
  accounts: bare(),
  outbox: [],
  pause: 0,
  quiet: 0,
  retired: bare(),
  draw: undefined, // named, so that they take the place of what is forgotten
  order: undefined,
});

/**
 * The state of a device that has erased or lost its stored state. Every metric counts as answered today and the whole budget as spent, for
 * the longest period that any version of the schema has promised.
 *
 * @param accounts the erased accounts, as far as they are known
 */
export function spentState({ metrics, budget }: Pick<SchemaDocument, 'metrics' | 'budget'>, accounts: Accounts, day: number): State {
  const promised = openWindows(accounts, day, budget);
  const state = { ...emptyState(), day };
  let spent: Account['spent'] = [{ epsilon: promised.epsilon, budget: promised, day }];
  for (const name of Object.keys(metrics)) {
    state.accounts[name] = { day, by: '', spent };
    spent = []; // the first account has spent everything
  }
  return state;
}

/** The text that is stored: JSON with its checksum in front, which has 16 characters. The checksum detects damage, not forgery. */
export function stateText(state: State): string {
  const json = JSON.stringify(state);
  return checksum64(json) + json;
}

/** Parses a stored state. Returns undefined or throws if it is damaged or in another format. */
export function parseState(text: string): State | undefined {
  const state = JSON.parse(text.slice(16)) as State;
  if (state.v !== VERSION || text !== stateText(state)) return undefined;
  return { ...state, accounts: bare(state.accounts), retired: bare(state.retired) };
}
