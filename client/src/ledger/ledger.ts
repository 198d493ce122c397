/**
 * The ledger: which slots are free, and what has been spent. Pure functions on plain data; nothing here sees a value,
 * so nothing here can depend on one. docs/ledger.md states what they guarantee, and why.
 *
 * A slot of a metric is free when `every` days have passed since its last report. A permanent metric keeps the symbol
 * of its epoch; when the epoch has ended, the next begins after one silent window, so that no window holds two.
 * Charges are static and fit the budget (shared/src/schema/charges.ts). The sum is checked again here for the one
 * thing that a schema can't know: what another version of it has spent. Each version's promise holds in every window
 * that holds a report under it, so a report must fit all windows that are open today: the least of their budgets, over
 * the longest of their lengths.
 */

import { type Budget, canonicalJson, DAYS, fits, type Json, type MetricDocument } from '@murmuration/shared';

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
  /** The id of the record that took the slot: a repeated claim of the same record changes nothing. */
  readonly by: string;
  /** Of a metric with `otherwise`, whether an answer has taken its place in this slot: 0 or 1. */
  readonly answered?: number;
  /** Of a metric with `otherwise`, the id of the slot before: an answer of the day on which this one began may be in that one already. */
  readonly before?: string;
  readonly spent: readonly Spending[];
  readonly epoch?: { readonly day: number; readonly law: string; readonly symbol: string };
}

/** All accounts by metric. A metric keeps its account from version to version of the schema. */
export type Accounts = { [metric: string]: Account };

/** A law as it is compared: in canonical JSON, for the order of keys changes nothing. */
const lawText = ({ law }: MetricDocument): string => canonicalJson(law as unknown as Json);

/** The epoch that a permanent metric's report comes from, while it runs. */
function epochOf(metric: MetricDocument, account: Account | undefined, today: number): Account['epoch'] {
  const epoch = account?.epoch;
  return metric.permanent && epoch && epoch.law === lawText(metric) && today < epoch.day + DAYS[metric.permanent.renew] ? epoch : undefined;
}

/** The first day, today or later, on which a metric's slot is free. */
export function nextDay(metric: MetricDocument, account: Account | undefined, today: number, { per }: Budget): number {
  if (account === undefined) return today;
  const open = Math.max(today, account.day + DAYS[metric.every]);
  return metric.permanent && !epochOf(metric, account, open) ? Math.max(open, account.day + DAYS[per]) : open;
}

/** What a report today must fit: the least budget of the windows that are open, and how many days they reach back. */
export function openWindows(accounts: Accounts, today: number, budget: Budget): { readonly limit: number; readonly days: number } {
  const reach = DAYS[budget.per];
  let limit = budget.epsilon;
  let days = reach;
  for (const { spent } of Object.values(accounts)) {
    for (const { day, budget: promised } of spent) {
      const length = DAYS[promised.per];
      if (!(day + Math.max(reach, length) > today)) continue;
      // What was promised for shorter windows than today's was not kept for so long: today's window waits until it holds none.
      limit = Math.min(limit, length < reach ? 0 : promised.epsilon);
      days = Math.max(days, length);
    }
  }
  return { limit, days };
}

/** What was spent on a metric in the last so many days, today included. */
export const spentIn = (account: Account | undefined, today: number, days: number): readonly number[] =>
  account?.spent.filter(({ epsilon, day }) => epsilon > 0 && day + days > today).map(({ epsilon }) => epsilon) ?? [];

/** A randomized answer that asks for its metric's slot. */
export interface Claim {
  readonly metric: string;
  /** Random: the same record has the same id wherever it is kept. */
  readonly id: string;
  /** In base64url; what a permanent metric keeps if its epoch begins with this report. */
  readonly symbol: string;
}

/** Takes a metric's slot, if it is free: its account as it is after today's report. Otherwise why not. */
export function claim(
  { metric: name, id, symbol }: Claim,
  metric: MetricDocument,
  accounts: Accounts,
  today: number,
  budget: Budget,
): Account | 'already-answered' | 'over-budget' {
  const account = accounts[name];
  // Written so that a day that is no number claims nothing.
  if (!(nextDay(metric, account, today, budget) <= today)) return 'already-answered';
  const { limit, days } = openWindows(accounts, today, budget);
  if (!(days > 0)) return 'over-budget'; // a period that nobody knows promises nothing
  const { permanent, epsilon } = metric;
  const running = epochOf(metric, account, today);
  // Of the running epoch, reports under today's budget are replaced by today's; those under others stay, without its ε,
  // to hold the windows that they opened to their budgets.
  const kept = (account?.spent ?? []).flatMap((spending) => {
    if (spending.day + days <= today) return [];
    if (!running || spending.day < running.day) return spending;
    const isReplaced = spending.budget.epsilon === budget.epsilon && spending.budget.per === budget.per;
    return isReplaced ? [] : { ...spending, epsilon: 0 };
  });
  const spent = [...kept, { epsilon: permanent?.epsilon ?? epsilon, budget, day: today }];
  const claimed = {
    day: today,
    by: id,
    spent,
    ...(metric.otherwise !== undefined && { answered: 0, before: account?.by ?? '' }),
    ...(permanent && { epoch: running ?? { day: today, law: lawText(metric), symbol } }),
  };
  const charges = Object.values({ ...accounts, [name]: claimed }).flatMap((each) => spentIn(each, today, days));
  return fits(charges, limit) ? claimed : 'over-budget';
}
