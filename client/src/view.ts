/** What a person may see: what would be sent, in bytes and in words, and what is spent. */

import { answersOf, fromBase64url, hasBit, labelOf, type MetricDocument, type Period } from '@murmuration/shared';

/** One batch, just as it will be sent. */
export interface Preview {
  readonly url: string;
  readonly body: string;
  readonly reports: readonly { readonly metric: string; readonly meaning: string }[];
}

/** The ledger of a device. All figures are ε; days are days since 1970-01-01. */
export interface LedgerView {
  readonly per: Period;
  readonly budget: number;
  readonly spent: number;
  readonly left: number;
  readonly today: number;
  readonly metrics: readonly { readonly metric: string; readonly spent: number; readonly nextDay: number }[];
}

/** A report in words. It says what the report says, which is not what was recorded: nobody knows that any more. */
export function meaningOf(metric: MetricDocument, report: string): string {
  const bytes = fromBase64url(report);
  const answers = answersOf(metric)?.map(labelOf);
  if (answers === undefined) return 'randomized: noisy bits of a string';
  const index = bytes.reduce((value, byte) => value * 256 + byte, 0);
  const said = answers.filter((_, i) => (metric.law.mechanism === 'subset' ? hasBit(bytes, i) : i === index));
  return `randomized, it says: ${said.join(' or ')}`;
}
