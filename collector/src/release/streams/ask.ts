/** Answers a question of a stream: a stored answer, or a new one that is drawn and written in one transaction; streams.ts says why. */

import { parseDay } from '@murmuration/shared';
import { Fault } from '../../base/fault.ts';
import { InDoubt, type LedgerTransaction } from '../../storage/release-ledger.ts';
import type { CountingQuery } from '../mechanisms/queries.ts';
import type { Conditions } from './request.ts';
import type { Sessions } from './sessions.ts';
import { cellsIn, conditionsOf, denseCounts, type StreamParts, type StreamSecret, unnamed } from './sessions.ts';
import {
  answerBody,
  dropEnded,
  dropSecrets,
  endStream,
  questionNameOf,
  type Stream,
  type StreamAnswer,
  stateFor,
  storedIn,
  streamAnswerOf,
} from './stream.ts';

/** The error of a stream that answers no new questions. */
export class StreamOver extends Fault {
  constructor({ stream, ended }: Stream) {
    super(
      'over',
      `expected a stream that still answers, got stream ${stream}: ${ended}; its answers are kept, and asking for them again is free`,
    );
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
  /** True if it was stored before. */
  readonly isRepeated: boolean;
  readonly within: number;
  readonly hardLeft: number;
  readonly questionsLeft: number;
};

const answered = (answer: StreamAnswer, stream: Stream, isRepeated: boolean): StreamAnswered => ({
  ...{ ...answer, isRepeated, within: stream.within, hardLeft: stream.hardLeft },
  questionsLeft: stream.queries - stream.answered,
});

/** A question whose conditions are checked. */
interface Checked extends StreamAsked {
  readonly cells: CountingQuery;
}

/** Draws and writes an answer, unless there is one meanwhile. */
async function answer(ledger: LedgerTransaction, asked: Checked, sessions: Sessions, { random }: StreamParts): Promise<StreamAnswered> {
  const { analyst, where, cells } = asked;
  const { stream } = await stateFor(ledger, asked, asked.stream);
  const stored = await storedIn(ledger, stream, where);
  if (stored !== undefined) return answered(stored, stream, true);
  if (stream.ended !== undefined) throw new StreamOver(stream);
  const doubt = await ledger.doubt();
  if (doubt !== undefined) throw new InDoubt(doubt);
  const secret = (await ledger.secrets.of(stream.stream)) as string; // which a stream that has not ended has
  const { mechanism, session } = sessions.learn(stream, await sessions.newsOf(ledger, stream));
  const drawn = unnamed(() => {
    const { threshold, counts } = JSON.parse(secret) as StreamSecret;
    const found = mechanism.answer({ ...session, threshold }, cells, denseCounts(stream.columns, counts), random);
    if (!found.hard) mechanism.idle(random);
    return found;
  });
  const entry = await ledger.append(analyst, {
    kind: drawn.hard ? 'stream-hard' : 'stream-easy',
    ...{ app: stream.app, analyst, question: questionNameOf(stream.stream, where), body: answerBody(where, drawn.answer) },
  });
  const after = { ...stream, answered: stream.answered + 1, hardLeft: stream.hardLeft - Number(drawn.hard) };
  return answered(streamAnswerOf(stream.stream, entry), after, false);
}

/** Ends a stream whose days are no longer kept. @throws {StreamOver} */
async function checkDays({ ledger, read }: StreamParts, { stream, from, to }: Stream): Promise<void> {
  const [first, last] = [parseDay(from), parseDay(to)] as [number, number];
  const { firstDay } = await read({ schemas: [], metrics: [], from: first, to: last });
  if (first < firstDay) throw new StreamOver(await endStream(ledger, 'the collector', stream, 'its days are no longer kept'));
}

/** Answers a question. */
export async function ask(parts: StreamParts, sessions: Sessions, asked: StreamAsked): Promise<StreamAnswered> {
  const { ledger } = parts;
  const { state, where, stored, news } = await ledger.transact(async (transaction) => {
    const found = await stateFor(transaction, asked, asked.stream);
    const conditions = conditionsOf(found.stream.columns, asked.where);
    const known = await storedIn(transaction, found.stream, conditions);
    const isOver = known !== undefined || found.stream.ended !== undefined;
    return {
      ...{ state: found, where: conditions, stored: known },
      news: isOver ? undefined : await sessions.newsOf(transaction, found.stream),
    };
  });
  const { stream } = state;
  await dropEnded(ledger, [state]);
  if (stored !== undefined) return answered(stored, stream, true);
  if (news === undefined) throw new StreamOver(stream);
  await checkDays(parts, stream);
  sessions.learn(stream, news); // before the ledger is locked
  const checked = { ...asked, where, cells: cellsIn(stream.columns, where) };
  const found = await ledger.transact((transaction) => answer(transaction, checked, sessions, parts));
  if (found.hardLeft === 0 || found.questionsLeft === 0) await dropSecrets(ledger, [stream.stream]);
  return found;
}
