/**
 * Epochs of permanent metrics. Each begins with a randomized symbol, from which all its reports are made. The constructor `permanent` carries
 * these functions, so that bundles without it do not contain them. An epoch that another version of the schema began counts by what it has
 * spent, which is in its account (ledger.ts).
 */

import { canonicalJson, DAYS, type Json, type MetricDocument } from '@murmuration/shared';

/** An epoch as it is stored: its first day, its law, and its symbol in base64url. */
export interface Epoch {
  readonly day: number;
  readonly law: string;
  readonly symbol: string;
}

/** Functions of a permanent question that the ledger calls. */
export interface Epochs {
  /** The stored epoch if a report of that day comes from it; undefined if there is none. */
  readonly running: (metric: MetricDocument, epoch: Epoch | undefined, today: number) => Epoch | undefined;
  /** The epoch that begins with a symbol. */
  readonly begin: (metric: MetricDocument, symbol: string, today: number) => Epoch;
}

/** A law in the form in which laws are compared: canonical JSON, where the order of keys does not matter. */
const lawText = ({ law }: MetricDocument): string => canonicalJson(law as unknown as Json);

export const epochs: Epochs = {
  running: (metric, epoch, today) =>
    metric.permanent && epoch && epoch.law === lawText(metric) && today < epoch.day + DAYS[metric.permanent.renew] ? epoch : undefined,
  begin: (metric, symbol, today) => ({ day: today, law: lawText(metric), symbol }),
};
