/**
 * Streams of counting questions: analysts share a table of cells and ask what they like, one question after the other, for a cost that is
 * paid once. Roth and Roughgarden 2010, "Interactive Privacy via the Median Mechanism"; the mechanisms are in mechanisms/interactive.ts.
 *
 * Law: at the opening, the counts of the cells are frozen, so all answers are about one table D, whatever comes later. Its number of records
 * is released with ε/10, and the rest is a session of mechanisms/interactive.ts with 9ε/10 on D. One device-day changes D by at most its
 * bound Δ in all cells together, so a question by at most Δ.
 *
 * ε for analysts who share a stream: the session's proof fixes the published answers and compares neighbours. It never uses who asks. Each
 * question may be any function of the answers before it, of other releases and of chance, as long as it does not see D or the threshold. So
 * everything that the stream publishes, together, is ε-differentially private for any number of analysts, whether they work together or
 * not. Therefore each analyst who may ask is charged ε, since each can see all answers, and the table is charged ε once. Analysts can tell
 * each other through the questions what else they know, so those who share a stream count as one colluder (budget/accounting.ts).
 *
 * Other releases come in between, and questions may depend on them. An interactive mechanism of pure ε is an interactive post-processing of
 * one randomized response of ε (Vadhan and Wang 2021, "Concurrent Composition of Differential Privacy"). So it adds to them as if
 * all of it had been released at the opening: ε, and ρ = ε²/2.
 *
 * Crashes. The order of the opening:
 * 1. The budgets are checked. 2. The rows are read. 3. The charges are written, unless a budget does not hold them any more.
 * 4. The number of records and the threshold are drawn; the stream, its threshold and its counts are written in one transaction.
 * A crash before 3 costs nothing. One between 3 and 4 leaves charges without a stream, and what was drawn was not seen.
 * A question is answered in one transaction of the ledger, which keeps all others out: it looks for a stored answer, counts the hard ones
 * that are left, draws, and writes the answer. Hard answers are counted as entries, so writing one and having one less are one step. Only a
 * written answer leaves. A crash before the end of the transaction loses a draw that nobody saw, and another one is as likely as if the
 * first had not been: the answers have the law of the session. What fails must not tell what was drawn. So easy and hard questions draw the
 * same noise, write entries of the same length, and fail with the same words.
 *
 * After a restore, hard answers may be lost. With the threshold of the stream there would be more of them than were charged. So backups do not
 * carry the secrets, a ledger in doubt takes no new answer, and an override ends all streams.
 */

import { canonicalJson, type Json } from '@murmuration/shared';
import { budgetsOf, limitText } from '../budget/budgets.ts';
import { tightest } from '../budget/limits.ts';
import { ask, type StreamAnswered, type StreamAsked } from './ask.ts';
import { type Opened, type Opening, open, resolveOpening, type ToOpen } from './open.ts';
import type { StreamParts } from './sessions.ts';
import { Sessions } from './sessions.ts';
import {
  answersIn,
  dropEnded,
  endStream,
  type Reader,
  readableBy,
  type Stream,
  type StreamAbout,
  type StreamState,
  type StreamWithAnswers,
  stateFor,
  streamsIn,
} from './stream.ts';

/** Preview of a stream. */
export type StreamPreview = StreamAbout & {
  /** Remainder of the budgets of all its analysts and of the table, as `ε 0.3`; undefined if one of them has none. */
  readonly left?: string;
};

/** Streams of a collector, or of a command. */
export class Streams {
  readonly #parts: StreamParts;
  readonly #sessions = new Sessions();
  /** Streams that are being opened, so that the same one is not charged twice at once. */
  readonly #opening = new Map<string, Promise<Opened>>();
  /** Charges of streams that could not be opened here. */
  readonly #failed = new Set<number>();

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Cost of a stream, and the error that it would state. Spends nothing. @throws {RangeError} when it does not fit the table */
  preview(opening: Opening): Promise<StreamPreview> {
    return this.#parts.ledger.transact(async (ledger) => {
      const budgets = await budgetsOf(ledger, opening.request.app);
      const { about, due } = resolveOpening(opening, budgets);
      const haveBudgets = about.analysts.every((analyst) => budgets.analysts.has(analyst));
      return { ...about, ...(haveBudgets && { left: limitText(tightest(budgets, due)) }) };
    });
  }

  /**
   * Opens a stream, or finds the same one that is open.
   *
   * @throws {RangeError} when it does not fit the table
   * @throws {OverBudget} when it does not fit a budget
   * @throws {InDoubt} when the ledger may have lost entries
   */
  open(opening: ToOpen): Promise<Opened> {
    const { analysts, request, again = false } = opening;
    const name = canonicalJson([analysts, request as unknown as Json, again]);
    const running = this.#opening.get(name) ?? open(this.#parts, opening, this.#failed).finally(() => this.#opening.delete(name));
    this.#opening.set(name, running);
    return running;
  }

  /**
   * Answers a question. One that was answered before gets the stored answer, whoever of the stream's analysts asked it.
   *
   * @throws {RangeError} when the analyst has no such stream, or the question does not fit it
   * @throws {StreamOver} when the stream answers no new questions
   * @throws {InDoubt} when the ledger may have lost entries
   */
  ask(asked: StreamAsked): Promise<StreamAnswered> {
    return ask(this.#parts, this.#sessions, asked);
  }

  /** Deletes what a crash has left of streams that have ended. */
  async tidy(): Promise<void> {
    const { ledger } = this.#parts;
    const states = await ledger.transact(async (transaction) => {
      const found: StreamState[] = [];
      for (const n of await transaction.secrets.kept()) found.push(...(await streamsIn(transaction, { n })));
      return found;
    });
    await dropEnded(ledger, states);
  }

  /** Streams, as far as a reader may see them. */
  async list(reader: Reader): Promise<readonly Stream[]> {
    const states = await this.#parts.ledger.transact((ledger) => streamsIn(ledger));
    await dropEnded(this.#parts.ledger, states);
    return states.filter(readableBy(reader)).map(({ stream }) => stream);
  }

  /** A stream with its answers: the newest, so many of them, or all. @throws {RangeError} when the reader may see no such stream */
  async show(reader: Reader, stream: number, newest?: number): Promise<StreamWithAnswers> {
    const found = await this.#parts.ledger.transact(async (ledger) => {
      const state = await stateFor(ledger, reader, stream);
      return { state, answers: newest === 0 ? [] : await answersIn(ledger, stream, newest) };
    });
    await dropEnded(this.#parts.ledger, [found.state]);
    return { ...found.state.stream, answers: found.answers };
  }

  /**
   * Ends a stream, and deletes its counts and its threshold. Its answers stay.
   *
   * @throws {RangeError} when there is no such stream
   * @throws {InDoubt} when the ledger may have lost entries
   */
  close(who: string, stream: number): Promise<Stream> {
    return endStream(this.#parts.ledger, who, stream, `closed by ${who}`);
  }
}
