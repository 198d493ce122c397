/**
 * Epochs of permanent metrics. Each begins with a randomized symbol, from which all its reports are made. The constructor `permanent` carries
 * these functions, so that bundles without it do not contain them. An epoch that another version of the schema began counts by what it has
 * spent, which is in its account (ledger.ts).
 */

import { canonicalJson, DAYS, type Json, type MetricDocument, spendingDays } from '@murmuration/shared';
import type { Epoch, Epochs } from './ledger.ts';

/** A law in the form in which laws are compared: canonical JSON, where the order of keys does not matter. */
const lawText = ({ law }: MetricDocument): string => canonicalJson(law as unknown as Json);

/** The stored epoch if a report of that day comes from it; undefined if there is none. */
const running = (metric: MetricDocument, epoch: Epoch | undefined, today: number): Epoch | undefined =>
  metric.permanent && epoch && epoch.law === lawText(metric) && today < epoch.day + DAYS[metric.permanent.renew] ? epoch : undefined;

export const epochs: Epochs = {
  days: spendingDays,
  nextDay: (metric, account, open, per) => (running(metric, account.epoch, open) ? open : Math.max(open, account.day + DAYS[per])),
  report: (metric, before, account, symbol) => {
    const { day: today, spent } = account;
    const epoch = running(metric, before?.epoch, today);
    if (!epoch) return { ...account, epoch: { day: today, law: lawText(metric), symbol } };
    // Within the running epoch, today's report replaces earlier ones made under today's budget. Those made under other budgets stay, with ε
    // 0, so that the windows that they opened keep to those budgets.
    const last = spent[spent.length - 1];
    const kept = spent.flatMap((spending) => {
      if (spending === last || spending.day < epoch.day) return spending;
      const isReplaced = spending.budget.epsilon === last?.budget.epsilon && spending.budget.per === last.budget.per;
      return isReplaced ? [] : { ...spending, epsilon: 0 };
    });
    return { ...account, spent: kept, epoch };
  },
};
