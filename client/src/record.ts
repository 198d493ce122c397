/**
 * The trusted path. A value is randomized at once; the symbol then asks for its metric's slot, and what gets one becomes a report.
 * Nothing here but `randomize` sees a value. So whether, when and how much a device sends depends on the calendar, the schema and
 * coins alone.
 */

import { DAYS, type MetricDocument, type SchemaDocument, toBase64url } from '@murmuration/shared';
import { type Claim, claim } from './ledger/ledger.ts';
import type { QueuedReport } from './ledger/queued.ts';
import type { State } from './ledger/state.ts';
import { attempt } from './maybe.ts';
import type { DeviceQuestions } from './questions/question.ts';
import type { Coins } from './random/coins.ts';
import type { Randomize } from './randomizers/randomizer.ts';
import type { Outcome } from './types.ts';

/** What the path depends on: the questions of a schema, its laws, and coins. */
export interface Path {
  readonly questions: DeviceQuestions;
  readonly metrics: SchemaDocument['metrics'];
  readonly budget: SchemaDocument['budget'];
  readonly coins: Coins;
  /** The schema's name on the wire. */
  readonly wire: string;
  /** 128 random bits, in hexadecimal digits. */
  readonly newId: () => string;
}

/** A value as a randomized symbol that asks for its metric's slot; or why not. The value is gone when this returns. */
export function randomize({ questions, metrics, coins, newId }: Path, metric: string, value: unknown): Claim | Outcome['result'] {
  const question = attempt(() => Object.hasOwn(questions, metric)) ? questions[metric] : undefined;
  if (!question) return 'unknown-metric';
  const input = attempt(() => question.input(value as never));
  if (input === undefined) return 'wrong-type';
  const { law } = metrics[metric] as MetricDocument;
  const draw = question.randomizers[law.mechanism] as Randomize<unknown, unknown>;
  return attempt(() => ({ metric, symbol: toBase64url(draw(law, input, coins)), id: newId() })) ?? 'no-entropy';
}

/** The report of a symbol: itself, or the instantaneous response to the one that the metric's epoch keeps. */
function reportOf({ questions, metrics, coins }: Path, { metric, symbol }: Claim, epoch: string | undefined, since?: number): QueuedReport {
  const respond = questions[metric]?.respondStored;
  const bytes = respond && epoch !== undefined ? toBase64url(respond((metrics[metric] as MetricDocument).law, epoch, coins)) : symbol;
  return [metric, bytes, since];
}

/** Takes a metric's slot: the state holds the claim, and the report is returned. Otherwise says why not, and changes nothing. */
export function take(path: Path, state: State, asked: Claim): QueuedReport | Outcome['result'] {
  const metric = path.metrics[asked.metric] as MetricDocument;
  const account = claim(asked, metric, state.accounts, state.day, path.budget);
  if (typeof account === 'string') return account;
  const report = reportOf(path, asked, account.epoch?.symbol, metric.otherwise === undefined ? undefined : state.day);
  state.accounts[asked.metric] = account;
  return report;
}

/**
 * Puts an answer in the place of the report of `otherwise`, which waits for the end of the slot that has begun. The day is the one on
 * which the device last looked, so that nothing tells whether something was recorded. A slot that another version of the schema began
 * takes none of this one's answers: what was charged is the ε of that version's law.
 */
export function replace(path: Path, state: State, asked: Claim): Outcome['result'] {
  const account = state.accounts[asked.metric];
  const { every } = path.metrics[asked.metric] as MetricDocument;
  const isHere = ([metric, , since]: QueuedReport): boolean => metric === asked.metric && since === account?.day;
  const batch = state.outbox.find(({ schema, reports }) => schema === path.wire && reports.some(isHere));
  if (account?.answered !== 0 || !batch || !(state.day < account.day + DAYS[every])) return 'already-answered';
  // Where an epoch began with this slot, the answer is the epoch's: the symbol of `otherwise` has left nobody.
  const begun = account.epoch?.day === account.day ? { epoch: { ...account.epoch, symbol: asked.symbol } } : {};
  const next = { ...account, ...begun, by: asked.id, answered: 1 };
  const report = reportOf(path, asked, next.epoch?.symbol, account.day);
  batch.reports = batch.reports.map((old) => (isHere(old) ? report : old));
  state.accounts[asked.metric] = next;
  return 'recorded';
}
