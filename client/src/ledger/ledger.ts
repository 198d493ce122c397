/**
 * The ledger: which slots are free, and what has been spent. Pure functions on plain data; nothing here sees a value,
 * so nothing here can depend on one.
 *
 * A slot of a metric is free when `every` days have passed since its last report. A permanent metric keeps the symbol
 * of its epoch; when the epoch has ended, the next begins after one silent window, so that no window holds two.
 * Charges are static and fit the budget (shared/src/schema/charges.ts). The sum is checked again here for the one
 * thing that a schema can't know: what an older version of it has spent in a window that has not ended.
 */

import { type Budget, DAYS, fits, type MetricDocument } from '@murmuration/shared';

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

/** A permanent metric's epoch, while it runs. */
function epochOf({ permanent, law }: MetricDocument, account: Account | undefined, today: number): Account['epoch'] {
  const epoch = account?.epoch;
  return permanent && epoch && epoch.law === JSON.stringify(law) && today < epoch.day + DAYS[permanent.renew] ? epoch : undefined;
}

/** The symbol that a permanent metric's report comes from, while its epoch runs. */
export const keptSymbol = (metric: MetricDocument, account: Account | undefined, today: number): string | undefined =>
  epochOf(metric, account, today)?.symbol;

/** The first day, today or later, on which a metric's slot is free. */
export function nextDay(metric: MetricDocument, account: Account | undefined, today: number, { per }: Budget): number {
  if (account === undefined) return today;
  const open = Math.max(today, account.day + DAYS[metric.every]);
  return metric.permanent && !epochOf(metric, account, open) ? Math.max(open, account.day + DAYS[per]) : open;
}

/** The spendings whose window has not passed. */
export const live = (spent: readonly Spending[], today: number, { per }: Budget): readonly Spending[] =>
  spent.filter(({ day, until }) => Math.max(until, day + DAYS[per]) > today);

/**
 * A metric's account as a report today leaves it: with one more spending, or, while an epoch runs, with the epoch's
 * spending moved to today, for its reports spend ε∞ together.
 *
 * @param symbol what a permanent metric keeps if this report begins an epoch
 */
export function claim(metric: MetricDocument, account: Account | undefined, symbol: string, today: number, budget: Budget): Account {
  const { law, permanent } = metric;
  const epoch = epochOf(metric, account, today);
  const spent = live(account?.spent ?? [], today, budget);
  const running = epoch && spent.find(({ day }) => day === account?.day);
  const spending = {
    epsilon: (permanent ?? metric).epsilon,
    budget: Math.min(budget.epsilon, running?.budget ?? budget.epsilon),
    day: today,
    until: Math.max(today + DAYS[budget.per], running?.until ?? 0),
  };
  return {
    day: today,
    spent: [...spent.filter((other) => other !== running), spending],
    ...(permanent && { epoch: epoch ?? { day: today, law: JSON.stringify(law), symbol } }),
  };
}

/** Whether a metric may be reported today: when its slot is open, and all accounts as that report leaves them fit every budget in them. */
export function slotOf(
  name: string,
  metric: MetricDocument,
  accounts: Accounts,
  today: number,
  budget: Budget,
): 'already-answered' | 'over-budget' | 'free' {
  const account = accounts[name];
  if (nextDay(metric, account, today, budget) > today) return 'already-answered';
  const claimed = { ...accounts, [name]: claim(metric, account, '', today, budget) };
  const spent = Object.values(claimed).flatMap((each) => live(each.spent, today, budget));
  const limit = Math.min(...spent.map((spending) => spending.budget));
  return fits(
    spent.map(({ epsilon }) => epsilon),
    limit,
  )
    ? 'free'
    : 'over-budget';
}
