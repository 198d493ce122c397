/** A person's view of their data: the next reports, in bytes and in words, and the ε spent. */

import {
  type Budget,
  DAYS,
  dayText,
  fromBase64url,
  fromBigEndian,
  hasBit,
  type Law,
  type Schema,
  sumOf,
  timesIn,
} from '@murmuration/shared';
import type { Upload } from './adapters/transport.ts';
import { nextDay, openWindows, spentIn } from './ledger/ledger.ts';
import type { QueuedBatch } from './ledger/queued.ts';
import type { State } from './ledger/state.ts';
import type { DeviceQuestions, ResolvedQuestions } from './questions/question.ts';

/** A device's view of itself. */
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

/** One batch, exactly as it will be sent. */
export interface Preview {
  /** The date that it is sent with, such as `2026-11-20`. */
  readonly day: string;
  readonly url: string;
  readonly body: string;
  readonly reports: readonly { readonly metric: string; readonly meaning: string }[];
}

/** The ledger of a device. All amounts are ε; days are UTC days such as `2026-11-20`. */
export interface LedgerView {
  readonly budget: Budget;
  readonly spent: number;
  readonly left: number;
  readonly today: string;
  /**
   * For each metric: the ε in the window, the most ε in any 365 days, and the first day, today or later, on
   * which it can be answered again (undefined for never).
   */
  readonly metrics: readonly {
    readonly metric: string;
    readonly spent: number;
    readonly year: number;
    readonly nextDay: string | undefined;
  }[];
}

/** A schema whose laws are known. */
interface Asked extends Pick<Schema, 'document'> {
  readonly questions: ResolvedQuestions;
}

/** True if a report is the answer with the given index, or a set that contains it. */
const isOrHolds = (law: Law, bytes: readonly number[], answer: number): boolean =>
  ('subset' in law ? law.subset > 1 : law.mechanism === 'unary') ? hasBit(bytes, answer) : answer === fromBigEndian(bytes);

/** The answers that a report names; none if it is noise. They are not what was recorded, which nobody knows any more. */
export function saidBy({ questions, document }: Asked, metric: string, report: string): readonly string[] {
  const question = Object.hasOwn(questions, metric) ? questions[metric] : undefined;
  const law = document.metrics[metric]?.law;
  if (!question || !law) return [];
  const bytes = [...fromBase64url(report)];
  return question.labels(law).filter((_, i) => question.says?.(law, bytes, i) ?? isOrHolds(law, bytes, i));
}

/**
 * The batches that wait to be sent: their exact bytes, and what they say in words. Batches dated today or later may still grow. Like an
 * opening of the app it begins slots with `otherwise` that are due, and spends nothing else.
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

/** The text of a day; undefined if it is further away than any device lives. */
const dayOrNever = (day: number): string | undefined => (day < DAYS.never ? dayText(day) : undefined);

/**
 * The ε that is spent and left, by metric, and the total of a year.
 *
 * @example const { spent, left } = await ledger(telemetry);
 */
export async function ledger(telemetry: Looked): Promise<LedgerView> {
  const { state, schema, today: now } = await telemetry.look();
  const { accounts } = state;
  const { metrics, budget } = schema.document;
  const today = Math.max(state.day, now || 0); // the clock may give no day
  const { epsilon: limit, per } = openWindows(accounts, today, budget);
  const spentOn = (name: string): number => sumOf(spentIn(accounts[name] ?? { spent: [] }, today, DAYS[per]));
  const spent = sumOf(Object.keys(accounts).map(spentOn));
  return {
    budget,
    spent,
    left: Math.max(0, limit - spent),
    today: dayText(today),
    metrics: Object.entries(metrics).map(([metric, document]) => ({
      metric,
      spent: spentOn(metric),
      year: (document.permanent ?? document).epsilon * timesIn(document, DAYS.year, budget.per),
      nextDay: dayOrNever(nextDay(document, accounts[metric], today, budget, schema.questions[metric]?.epochs)),
    })),
  };
}
