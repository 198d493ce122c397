/** What a person may see: what would be sent, in bytes and in words, and what is spent. */

import {
  type Budget,
  chargeIn,
  DAYS,
  dayText,
  fromBase64url,
  fromBigEndian,
  hasBit,
  type Law,
  type Schema,
  sumOf,
} from '@murmuration/shared';
import type { Upload } from './adapters/transport.ts';
import { nextDay, openWindows, spentIn } from './ledger/ledger.ts';
import type { QueuedBatch } from './ledger/queued.ts';
import type { State } from './ledger/state.ts';
import type { DeviceQuestions } from './questions/question.ts';

/** What a device knows of itself. */
export interface Look {
  readonly state: State;
  readonly schema: Schema<DeviceQuestions>;
  /** Days since 1970-01-01. */
  readonly today: number;
  readonly uploadOf: (batch: QueuedBatch) => Upload;
}

/** A telemetry, of any schema. */
interface Looked {
  look(): Promise<Look>;
}

/** One batch, just as it will be sent. */
export interface Preview {
  /** The day with whose date it is sent, `2026-11-20`. */
  readonly day: string;
  readonly url: string;
  readonly body: string;
  readonly reports: readonly { readonly metric: string; readonly meaning: string }[];
}

/** The ledger of a device. All figures are ε; days are days of UTC, `2026-11-20`. */
export interface LedgerView {
  readonly budget: Budget;
  readonly spent: number;
  readonly left: number;
  readonly today: string;
  /**
   * By metric, what the window holds, what a year of answering whenever it can adds up to, and the first day, today or later, on which it
   * can be answered again: undefined for never.
   */
  readonly metrics: readonly {
    readonly metric: string;
    readonly spent: number;
    readonly year: number;
    readonly nextDay: string | undefined;
  }[];
}

/** Whether a report is an answer, by its index, or a set that holds it. */
const isOrHolds = (law: Law, bytes: readonly number[], answer: number): boolean =>
  ('subset' in law ? law.subset > 1 : law.mechanism === 'unary') ? hasBit(bytes, answer) : answer === fromBigEndian(bytes);

/** The answers that a report names, none where it is noise. That is not what was recorded: nobody knows that any more. */
export function saidBy({ questions, document }: Schema<DeviceQuestions>, metric: string, report: string): readonly string[] {
  const question = Object.hasOwn(questions, metric) ? questions[metric] : undefined;
  const law = document.metrics[metric]?.law;
  if (!question || !law) return [];
  const bytes = [...fromBase64url(report)];
  return question.labels(law).filter((_, i) => question.says?.(law, bytes, i) ?? isOrHolds(law, bytes, i));
}

/**
 * What waits to be sent: its very bytes, and what they say in words. What is dated today or later may grow. Spends nothing.
 *
 * @example for (const { day, body } of await preview(telemetry)) console.log(day, body);
 */
export async function preview(telemetry: Looked): Promise<readonly Preview[]> {
  const { state, schema, uploadOf } = await telemetry.look();
  return state.outbox.map((batch) => ({
    ...uploadOf(batch),
    day: dayText(batch.day),
    reports: batch.reports.map(([metric, bytes]) => {
      const said = saidBy(schema, metric, bytes);
      return { metric, meaning: said.length > 0 ? `randomized, it says: ${said.join(' or ')}` : 'randomized: noisy bits' };
    }),
  }));
}

/** A day; undefined where it is more days away than any device lives. */
const dayOrNever = (day: number): string | undefined => (day < DAYS.never ? dayText(day) : undefined);

/**
 * What is spent and left, by metric, and what a year adds up to.
 *
 * @example const { spent, left } = await ledger(telemetry);
 */
export async function ledger(telemetry: Looked): Promise<LedgerView> {
  const { state, schema, today: now } = await telemetry.look();
  const { accounts } = state;
  const { metrics, budget } = schema.document;
  const today = Math.max(state.day, now);
  const { limit, days } = openWindows(accounts, today, budget);
  const spentOn = (name: string): number => sumOf(spentIn(accounts[name], today, days));
  const spent = sumOf(Object.keys(accounts).map(spentOn));
  return {
    budget,
    spent,
    left: Math.max(0, limit - spent),
    today: dayText(today),
    metrics: Object.entries(metrics).map(([metric, document]) => ({
      metric,
      spent: spentOn(metric),
      year: chargeIn(document, DAYS.year, budget.per),
      nextDay: dayOrNever(nextDay(document, accounts[metric], today, budget)),
    })),
  };
}
