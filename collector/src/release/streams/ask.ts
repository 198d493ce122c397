/** Answers a question of a stream: a stored answer, or a new one that is drawn and written in one transaction; streams.ts says why. */

import { canonicalJson, type Json, parseDay } from '@murmuration/shared';
import { InDoubt, type LedgerTransaction } from '../budget/ledger.ts';
import { denseCounts, questionOf, type StreamQuestion } from './cells.ts';
import { endStream } from './end.ts';
import { type StreamParts, type StreamSecret, unnamed } from './parts.ts';
import type { Conditions } from './request.ts';
import type { Sessions } from './sessions.ts';
import { answerBody, answerOf, nameOf, type Stream, type StreamAnswer, type StreamState, stateFor } from './stream.ts';

/** The error of a stream that answers no new questions. */
export class StreamOver extends Error {
  constructor({ stream, ended }: Stream) {
    super(`expected a stream that still answers, got stream ${stream}: ${ended}; its answers are kept, and asking for them again is free`);
  }
}

/** A question of an analyst. */
export interface StreamAsked {
  readonly analyst: string;
  /** The apps that the analyst may see; empty for all. */
  readonly apps: readonly string[];
  readonly stream: number;
  readonly where: Conditions;
}

/** An answer, and what is left of its stream. */
export type StreamAnswered = StreamAnswer & {
  /** Whether it was stored before. */
  readonly isRepeated: boolean;
  readonly within: number;
  readonly hardLeft: number;
  readonly questionsLeft: number;
};

const answered = (answer: StreamAnswer, { stream }: StreamState, isRepeated: boolean): StreamAnswered => ({
  ...{ ...answer, isRepeated, within: stream.within, hardLeft: stream.hardLeft },
  questionsLeft: stream.queries - stream.answered,
});

/** The stored answer, if there is one. @throws {StreamOver} when there is none, and the stream answers no new questions */
function storedIn(state: StreamState, { where }: StreamQuestion): StreamAnswered | undefined {
  const wanted = canonicalJson(where as Json);
  const stored = state.answers.find((answer) => canonicalJson(answer.where as Json) === wanted);
  if (stored !== undefined) return answered(stored, state, true);
  if (state.stream.ended !== undefined) throw new StreamOver(state.stream);
  return undefined;
}

/** Draws and writes an answer, unless there is one meanwhile. */
async function answer(ledger: LedgerTransaction, asked: StreamAsked, sessions: Sessions, { random }: StreamParts): Promise<StreamAnswered> {
  const state = await stateFor(ledger, asked);
  const { stream, answers } = state;
  const question = questionOf(stream.columns, asked.where);
  const stored = storedIn(state, question);
  if (stored !== undefined) return stored;
  const doubt = await ledger.doubt();
  if (doubt !== undefined) throw new InDoubt(doubt);
  const secret = (await ledger.secrets.of(stream.stream)) as string; // which a stream that has not ended has
  const { mechanism, session } = sessions.of(stream, answers);
  const drawn = unnamed(() => {
    const { threshold, counts } = JSON.parse(secret) as StreamSecret;
    const found = mechanism.answer({ ...session, threshold }, question.cells, denseCounts(stream.columns, counts), random);
    if (!found.hard) mechanism.idle(random);
    return found;
  });
  const entry = await ledger.append(asked.analyst, {
    kind: drawn.hard ? 'stream-hard' : 'stream-easy',
    ...{ app: stream.app, analyst: asked.analyst, question: nameOf(stream.stream), body: answerBody(question.where, drawn.answer) },
  });
  const after = { ...stream, answered: stream.answered + 1, hardLeft: stream.hardLeft - Number(drawn.hard) };
  return answered(answerOf(stream.stream, entry), { stream: after, answers }, false);
}

/** Ends a stream whose days are no longer kept. @throws {StreamOver} */
async function checkDays({ ledger, read }: StreamParts, { stream, from, to }: Stream): Promise<void> {
  const [first, last] = [parseDay(from), parseDay(to)] as [number, number];
  const { firstDay } = await read({ schemas: [], metrics: [], from: first, to: last });
  if (first < firstDay) throw new StreamOver((await endStream(ledger, 'the collector', stream, 'its days are no longer kept')).stream);
}

/** Answers a question. */
export async function ask(parts: StreamParts, sessions: Sessions, asked: StreamAsked): Promise<StreamAnswered> {
  const { ledger } = parts;
  const before = await ledger.transact((transaction) => stateFor(transaction, asked));
  const stored = storedIn(before, questionOf(before.stream.columns, asked.where));
  if (stored !== undefined) return stored;
  await checkDays(parts, before.stream);
  sessions.of(before.stream, before.answers); // learns before the ledger is locked
  const found = await ledger.transact((transaction) => answer(transaction, asked, sessions, parts));
  if (found.hardLeft === 0 || found.questionsLeft === 0) await ledger.transact(({ secrets }) => secrets.drop(asked.stream));
  return found;
}
