/**
 * The ledger: which slots are free, and what has been spent. Pure functions on plain data; nothing here sees a value,
 * so nothing here can depend on one.
 *
 * A slot of a metric is free when `every` days have passed since its last report. A permanent metric keeps the symbol
 * of its epoch; when the epoch has ended, the next begins after one silent window, so that no window holds two.
 * Charges are static and fit the budget (shared/src/schema/charges.ts). The sum is checked again here for the one
 * thing that a schema can't know: what an older version of it has spent in a window that has not ended.
 */

import { type Budget, fits, type MetricDocument, PERIOD_DAYS } from '@murmuration/shared';

/** ε spent by a report, or by an epoch up to its last report. */
export interface Spending {
  readonly epsilon: number;
  /** The budget that it was spent under. */
  readonly budget: number;
  readonly day: number;
  /** The first day of which no window reaches back to `day`. */
  readonly until: number;
}

/** What is kept of one metric. The symbol is randomized: it is the only trace of an answer that is ever stored. */
export interface Account {
  /** The day of the last report. */
  readonly day: number;
  readonly spent: readonly Spending[];
  readonly epoch?: { readonly day: number; readonly law: string; readonly symbol: string };
}

/** All accounts by metric. A metric keeps its account from version to version of the schema. */
export type Accounts = { [metric: string]: Account };

/** More days than any device lives. */
const NEVER = 1e9;
const DAYS = { ...PERIOD_DAYS, once: NEVER, never: NEVER };

/** The symbol that a permanent metric's report comes from, while its epoch runs. */
export function keptSymbol({ permanent, law }: MetricDocument, account: Account | undefined, today: number): string | undefined {
  const epoch = account?.epoch;
  const runs = permanent && epoch && epoch.law === JSON.stringify(law) && today < epoch.day + DAYS[permanent.renew];
  return runs ? epoch.symbol : undefined;
}

/** The first day, today or later, on which a metric's slot is free. */
export function nextDay(metric: MetricDocument, account: Account | undefined, today: number, { per }: Budget): number {
  if (account === undefined) return today;
  const open = Math.max(today, account.day + DAYS[metric.every]);
  return metric.permanent && keptSymbol(metric, account, open) === undefined ? Math.max(open, account.day + DAYS[per]) : open;
}

/** The spendings of a metric whose window has not passed. */
export const live = (account: Account | undefined, today: number, { per }: Budget): readonly Spending[] =>
  account?.spent.filter(({ day, until }) => Math.max(until, day + DAYS[per]) > today) ?? [];

/** What a report today adds to the window: nothing where the epoch's ε is in it already. */
function chargeOf(metric: MetricDocument, account: Account | undefined, today: number, budget: Budget): number {
  const paid = keptSymbol(metric, account, today) !== undefined && live(account, today, budget).length > 0;
  return paid ? 0 : (metric.permanent ?? metric).epsilon;
}

/** Whether a metric may be reported today. */
export function slotOf(
  name: string,
  metric: MetricDocument,
  accounts: Accounts,
  today: number,
  budget: Budget,
): 'already-answered' | 'over-budget' | 'free' {
  if (nextDay(metric, accounts[name], today, budget) > today) return 'already-answered';
  const spendings = Object.values(accounts).flatMap((account) => live(account, today, budget));
  const limit = Math.min(budget.epsilon, ...spendings.map((spending) => spending.budget));
  const charges = [...spendings.map(({ epsilon }) => epsilon), chargeOf(metric, accounts[name], today, budget)];
  return fits(charges, limit) ? 'free' : 'over-budget';
}

/** Takes a free slot: the account as it is after today's report. `symbol` is what a permanent metric keeps. */
export function claim(metric: MetricDocument, account: Account | undefined, symbol: string, today: number, budget: Budget): Account {
  const charge = chargeOf(metric, account, today, budget);
  const window = { day: today, until: today + DAYS[budget.per] };
  const spent = live(account, today, budget);
  const spending =
    charge > 0 ? { epsilon: charge, budget: budget.epsilon, ...window } : { ...(spent[spent.length - 1] as Spending), ...window };
  const taken = { day: today, spent: [...(charge > 0 ? spent : spent.slice(0, -1)), spending] };
  if (metric.permanent === undefined) return taken;
  const runs = keptSymbol(metric, account, today) !== undefined;
  return { ...taken, epoch: (runs && account?.epoch) || { day: today, law: JSON.stringify(metric.law), symbol } };
}
