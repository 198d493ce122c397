/**
 * The ledger: which slots are free, and what has been spent. Pure functions on plain data; nothing here sees a value,
 * so nothing here can depend on one.
 *
 * A slot of a metric is free when `every` days have passed since its last report. A permanent metric keeps the symbol
 * of its epoch; when the epoch has ended, the next begins after one silent window, so that no window holds two.
 * Charges are static and fit the budget (shared/src/schema/charges.ts). The sum is checked again here for the one
 * thing that a schema can't know: what another version of it has spent. Each version's promise holds in every window
 * that holds a report under it, so a report must fit all windows that are open today: the least of their budgets, over
 * the longest of their lengths.
 */

import { type Budget, fits, type MetricDocument, PERIOD_DAYS } from '@murmuration/shared';

/** A report: its ε, and the budget that it was promised under. The ε of an epoch stands with its last report alone. */
interface Spending {
  readonly epsilon: number;
  readonly budget: Budget;
  readonly day: number;
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

/** What a report today must fit: the least budget of the windows that are open, and how many days they reach back. */
export function openWindows(accounts: Accounts, today: number, budget: Budget): { readonly limit: number; readonly days: number } {
  const spendings = Object.values(accounts).flatMap(({ spent }) => spent);
  const open = spendings.filter(({ budget: { per }, day }) => day + DAYS[per] > today);
  const budgets = [budget, ...open.map((spending) => spending.budget)];
  return { limit: Math.min(...budgets.map(({ epsilon }) => epsilon)), days: Math.max(...budgets.map(({ per }) => DAYS[per])) };
}

/** What was spent on a metric in the last so many days, today included. */
export const spentIn = (account: Account | undefined, today: number, days: number): readonly number[] =>
  account?.spent.filter(({ epsilon, day }) => epsilon > 0 && day + days > today).map(({ epsilon }) => epsilon) ?? [];

/** Whether a metric may be reported today. */
export function slotOf(
  name: string,
  metric: MetricDocument,
  accounts: Accounts,
  today: number,
  budget: Budget,
): 'already-answered' | 'over-budget' | 'free' {
  if (nextDay(metric, accounts[name], today, budget) > today) return 'already-answered';
  const claimed = { ...accounts, [name]: claim(metric, accounts[name], '', today, budget) };
  const { limit, days } = openWindows(claimed, today, budget);
  const charges = Object.values(claimed).flatMap((account) => spentIn(account, today, days));
  return fits(charges, limit) ? 'free' : 'over-budget';
}

/** Takes a free slot: the account as it is after today's report. `symbol` is what a permanent metric keeps. */
export function claim(metric: MetricDocument, account: Account | undefined, symbol: string, today: number, budget: Budget): Account {
  const { permanent, law } = metric;
  const kept = keptSymbol(metric, account, today) !== undefined && account?.epoch;
  const epoch = kept || { day: today, law: JSON.stringify(law), symbol };
  // A later version's window may be a year. Of an epoch, which began with its first report, reports under today's budget
  // are replaced by today's; those under others stay, to hold the windows that they opened to their budgets.
  const spent = (account?.spent ?? [])
    .filter(({ day, budget: { epsilon, per } }) => {
      const replaced = day >= epoch.day && epsilon === budget.epsilon && per === budget.per;
      return day + DAYS.year > today && !replaced;
    })
    .map((spending) => (spending.day < epoch.day ? spending : { ...spending, epsilon: 0 }));
  const taken = { day: today, spent: [...spent, { epsilon: (permanent ?? metric).epsilon, budget, day: today }] };
  return permanent ? { ...taken, epoch } : taken;
}
