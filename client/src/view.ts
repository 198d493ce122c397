/** What a person may see: what would be sent, in bytes and in words, and what is spent. */

import { answersOf, type Budget, fromBase64url, fromBigEndian, hasBit, labelOf, type MetricDocument } from '@murmuration/shared';

/** One batch, just as it will be sent. */
export interface Preview {
  readonly url: string;
  readonly body: string;
  readonly reports: readonly { readonly metric: string; readonly meaning: string }[];
}

/** The ledger of a device. All figures are ε; days are days since 1970-01-01. */
export interface LedgerView {
  readonly budget: Budget;
  readonly spent: number;
  readonly left: number;
  readonly today: number;
  /** By metric, what the window holds and the first day on which it can be answered again (a billion days on: never). */
  readonly metrics: readonly { readonly metric: string; readonly spent: number; readonly nextDay: number }[];
}

/** A report in words. It says what the report says, which is not what was recorded: nobody knows that any more. */
export function meaningOf(metric: MetricDocument | undefined, report: string): string {
  const answers = metric && answersOf(metric);
  if (!answers) return 'randomized: noisy bits of a string';
  const bytes = fromBase64url(report);
  const said = answers.filter((_, i) => (metric.law.mechanism === 'subset' ? hasBit(bytes, i) : i === fromBigEndian(bytes)));
  return `randomized, it says: ${said.map(labelOf).join(' or ')}`;
}
