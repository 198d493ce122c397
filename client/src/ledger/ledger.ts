/**
 * The ledger: which slots are free, and how much ε has been spent. Its functions are pure and work on plain data. They never see a value,
 * so their results cannot depend on one. docs/ledger.md states what they guarantee, and why.
 *
 * The guarantee compares histories with equal activity: when the app runs, which metrics without `otherwise` are recorded, whether the
 * answer was listed.
 *
 * A slot of a metric is free once `every` days have passed since the metric's last report. A permanent metric keeps the symbol of its
 * epoch. When the epoch has ended, the next one begins after one silent window, so that no window contains two epochs. Charges are static
 * and fit the budget (shared/src/schema/charges.ts). The ledger checks the sum again for the one thing that a schema can't know: what
 * another version of it has spent. Each version's promise holds in every window that contains a report under that version. A report must
 * therefore fit all windows that are open today: the least of their budgets, over the longest of their lengths.
 */

import { type Budget, DAYS, fits, type MetricDocument, type Period } from '@murmuration/shared';

/** A charged report: its ε, and the budget promised when it was made. Only the last report of an epoch carries the epoch's ε. */
interface Spending {
  readonly epsilon: number;
  readonly budget: Budget;
  readonly day: number;
}

/** An epoch as it is stored: its first day, its law, and its symbol in base64url. */
export interface Epoch {
  readonly day: number;
  readonly law: string;
  readonly symbol: string;
}

/** The stored account of one metric. The symbol is randomized; it is the only trace of an answer that is ever stored. */
export interface Account {
  /** The day of the last report. */
  readonly day: number;
  /** The id of the record that took the slot. A repeated claim by the same record changes nothing. */
  readonly by: string;
  /** For a metric with `otherwise`: 1 if an answer has replaced it in this slot, else 0. */
  readonly answered?: number;
  /**
   * For a metric with `otherwise`: the id that took the previous slot. An answer from the day on which this slot began may already be in
   * that one.
   */
  readonly before?: string;
  readonly spent: readonly Spending[];
  readonly epoch?: Epoch | undefined;
}

/** Functions of a permanent question that the ledger calls. */
export interface Epochs {
  /** The days in which a metric spends its ε once. */
  readonly days: (metric: MetricDocument, per: Period) => number;
  /**
   * The first day on which a metric's slot is free: `open` while the epoch runs, and later a silent window after its last report.
   */
  readonly nextDay: (metric: MetricDocument, account: Account, open: number, per: Period) => number;
  /**
   * The account after a report: in the epoch that runs, or in the one that begins with the symbol.
   *
   * @param before the account until now
   * @param account the account after a report without an epoch
   */
  readonly report: (metric: MetricDocument, before: Account | undefined, account: Account, symbol: string) => Account;
}

/** All accounts by metric. A metric keeps its account across versions of the schema. */
export type Accounts = { [metric: string]: Account };

/**
 * The first day, today or later, on which a metric's slot is free.
 *
 * @param epochs of the metric's question; only permanent questions have any
 */
export function nextDay(
  metric: MetricDocument,
  account: Account | undefined,
  today: number,
  { per }: Budget,
  epochs: Epochs | undefined,
): number {
  if (account === undefined) return today;
  const open = Math.max(today, account.day + DAYS[metric.every]);
  return epochs?.nextDay(metric, account, open, per) ?? open;
}

/** The budget that holds for a report of today: the least of the open windows, over the longest of their lengths. */
export function openWindows(accounts: Accounts, today: number, budget: Budget): Budget {
  const reach = DAYS[budget.per];
  let { epsilon, per } = budget;
  for (const { spent } of Object.values(accounts)) {
    for (const { day, budget: promised } of spent) {
      const length = DAYS[promised.per];
      if (!(day + Math.max(reach, length) > today)) continue;
      // A budget promised for shorter windows than today's was kept only over those. Today's window must wait until it contains no such
      // report.
      epsilon = Math.min(epsilon, length < reach ? 0 : promised.epsilon);
      if (length > DAYS[per]) per = promised.per;
    }
  }
  return { epsilon, per };
}

/** The ε spent on a metric in the last `days` days, including today. */
export const spentIn = ({ spent }: Pick<Account, 'spent'>, today: number, days: number): readonly number[] =>
  spent.filter(({ epsilon, day }) => epsilon > 0 && day + days > today).map(({ epsilon }) => epsilon);

/** A randomized answer that claims its metric's slot. */
export interface Claim {
  readonly metric: string;
  /** A random id. A record keeps its id wherever it is stored. */
  readonly id: string;
  /** The symbol in base64url. A permanent metric stores it if an epoch begins with this report. */
  readonly symbol: string;
}

/**
 * Takes a metric's slot if it is free. Returns the account after today's report, or why the slot can't be taken.
 *
 * @param epochs of the metric's question
 */
export function claim(
  { metric: name, id, symbol }: Claim,
  metric: MetricDocument,
  accounts: Accounts,
  today: number,
  budget: Budget,
  epochs: Epochs | undefined,
): Account | 'already-answered' | 'over-budget' {
  const account = accounts[name];
  // With a day that is NaN, the negated comparison refuses the claim.
  if (!(nextDay(metric, account, today, budget, epochs) <= today)) return 'already-answered';
  const { epsilon: limit, per } = openWindows(accounts, today, budget);
  const days = DAYS[per];
  const { permanent, epsilon } = metric;
  const spent = (account?.spent ?? []).filter((spending) => !(spending.day + days <= today));
  const plain = { day: today, by: id, spent: [...spent, { epsilon: permanent?.epsilon ?? epsilon, budget, day: today }] };
  const claimed = epochs?.report(metric, account, plain, symbol) ?? plain;
  const charges = Object.values({ ...accounts, [name]: claimed }).flatMap((each) => spentIn(each, today, days));
  return days > 0 && fits(charges, limit) ? claimed : 'over-budget'; // an unknown period promises nothing
}
