/**
 * The trusted path. `record` randomizes a value at once. The randomized symbol then claims its metric's slot, and if the claim succeeds it
 * becomes a report. Only `randomize` sees a value, so whether, when and how much a device sends depends only on the calendar, the schema
 * and coins.
 */

import { type MetricDocument, type SchemaDocument, toBase64url } from '@murmuration/shared';
import { type Claim, claim } from './ledger/ledger.ts';
import type { QueuedReport } from './ledger/queued.ts';
import type { State } from './ledger/state.ts';
import { attempt } from './maybe.ts';
import type { ResolvedQuestions } from './questions/question.ts';
import type { Coins } from './random/coins.ts';
import type { Randomize } from './randomizers/randomizer.ts';
import type { Outcome } from './types.ts';

/** Inputs of the path: a schema's questions and laws, and coins. */
export interface Path extends Coins {
  readonly questions: ResolvedQuestions;
  readonly metrics: SchemaDocument['metrics'];
  readonly budget: SchemaDocument['budget'];
  /** The schema's name on the wire. */
  readonly wire: string;
  /** 128 random bits, in hexadecimal digits. */
  readonly newId: () => string;
}

/** Randomizes a value into a claim for its metric's slot, or returns why it can't. Nothing refers to the value after this returns. */
export function randomize(path: Path, metric: string, value: unknown): Claim | Outcome['result'] {
  const { questions, metrics, newId } = path;
  const question = attempt(() => metrics[metric] && questions[metric]); // `metrics` has no prototype, so nothing inherited is found
  if (!question) return 'unknown-metric';
  const input = attempt(() => question.input(value as never));
  if (input === undefined) return 'wrong-type';
  const { law } = metrics[metric] as MetricDocument;
  const draw = question.randomizers[law.mechanism] as Randomize<unknown, unknown>;
  return attempt(() => ({ metric, symbol: toBase64url(draw(law, input, path)), id: newId() })) ?? 'no-entropy';
}

/** The report of a symbol: the symbol itself or, for a permanent metric, the instantaneous response to the symbol stored for its epoch. */
export function reportOf(path: Path, { metric, symbol }: Claim, epoch: string | undefined, since: number | undefined): QueuedReport {
  const respond = path.questions[metric]?.respondStored;
  const bytes = respond && epoch !== undefined ? toBase64url(respond((path.metrics[metric] as MetricDocument).law, epoch, path)) : symbol;
  return [metric, bytes, since];
}

/**
 * Takes a metric's slot: records the claim in the state and returns the report. If the slot can't be taken, returns why and changes
 * nothing.
 *
 * @param since the slot's day if an answer may replace the report
 */
export function take(path: Path, state: State, asked: Claim, since?: number): QueuedReport | Outcome['result'] {
  const metric = path.metrics[asked.metric] as MetricDocument;
  const account = claim(asked, metric, state.accounts, state.day, path.budget, path.questions[asked.metric]?.epochs);
  if (typeof account === 'string') return account;
  const report = reportOf(path, asked, account.epoch?.symbol, since);
  state.accounts[asked.metric] = account;
  return report;
}
