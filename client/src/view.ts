/** What a person may see: what would be sent, in bytes and in words, and what is spent. */

import { type Budget, chargeIn, DAYS, fromBigEndian, hasBit, type Law, type SchemaDocument, sumOf } from '@murmuration/shared';
import type { Upload } from './adapters/transport.ts';
import { type Accounts, nextDay, openWindows, spentIn } from './ledger/ledger.ts';
import type { Batch } from './outbox.ts';
import type { DeviceQuestion, DeviceQuestions, Randomizing } from './questions.ts';

/** One batch, just as it will be sent. */
export interface Preview {
  /** The day with whose date it is sent, `2026-11-20`. */
  readonly day: string;
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
  /**
   * By metric, what the window holds, what a year of answering whenever it can adds up to, and the first day on which it can be
   * answered again (a billion days on: never).
   */
  readonly metrics: readonly { readonly metric: string; readonly spent: number; readonly year: number; readonly nextDay: number }[];
}

/** Whether a report is an answer, by its index, or a set that holds it. */
const isOrHolds: NonNullable<Randomizing['says']> = (law, bytes, answer) =>
  ('subset' in law ? law.subset > 1 : law.mechanism === 'unary') ? hasBit(bytes, answer) : answer === fromBigEndian(bytes);

/** A report in words. It says what the report says, which is not what was recorded: nobody knows that any more. */
function meaningOf(question: DeviceQuestion<never> | undefined, law: Law | undefined, bytes: readonly number[]): string {
  const { says = isOrHolds } = question ?? {};
  const said = question && law ? question.labels().filter((_, i) => says(law, bytes, i)) : [];
  return said.length > 0 ? `randomized, it says: ${said.join(' or ')}` : 'randomized: noisy bits';
}

/** A batch as a person may see it. */
export const previewOf = (
  { day, reports }: Batch,
  upload: Upload,
  questions: DeviceQuestions,
  metrics: SchemaDocument['metrics'],
): Preview => ({
  ...upload,
  day,
  reports: reports.map(([metric, bytes]) => ({ metric, meaning: meaningOf(questions[metric], metrics[metric]?.law, bytes) })),
});

/** The ledger as it stands today. */
export function ledgerView(metrics: SchemaDocument['metrics'], accounts: Accounts, today: number, budget: Budget): LedgerView {
  const { limit, days } = openWindows(accounts, today, budget);
  const spentOn = (name: string): number => sumOf(spentIn(accounts[name], today, days));
  const spent = sumOf(Object.keys(accounts).map(spentOn));
  return {
    budget,
    spent,
    left: Math.max(0, limit - spent),
    today,
    metrics: Object.entries(metrics).map(([metric, document]) => ({
      metric,
      spent: spentOn(metric),
      year: chargeIn(document, DAYS.year, budget.per),
      nextDay: nextDay(document, accounts[metric], today, budget),
    })),
  };
}
