/** A stream in the ledger: what it was opened as, its answers, and whether it still answers. None of it is secret. */

import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@murmuration/shared';
import { StoreFull } from '../../base/fault.ts';
import type { Entry, Ledger, LedgerTransaction, Wanted } from '../../storage/release-ledger.ts';
import { parseAmount } from '../budget/amount.ts';
import type { CostText } from '../budget/budgets.ts';
import { type Columns, cellsOf } from '../mechanisms/queries.ts';
import type { DesignOptions, StreamDesign } from './design.ts';
import type { Conditions } from './request.ts';

/** Facts about a stream before it is opened. */
export interface StreamAbout extends StreamDesign {
  readonly app: string;
  readonly analysts: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly where: Conditions;
  readonly columns: Columns;
  readonly epsilon: string;
  readonly queries: number;
  readonly about: number;
  /** The most reports of one device-day. */
  readonly bound: number;
  readonly days: number;
  /** For each device-day. */
  readonly cost: CostText;
  readonly perDevice: CostText;
}

/** A stream as it is stored. */
interface OpenedStream extends StreamAbout {
  /** The released number of reports. */
  readonly total: number;
  /** Days that could still take reports when the rows were read. Later reports are not counted. */
  readonly openDays: number;
}

/** Place of an entry in the ledger. */
interface Place {
  readonly n: number;
  readonly hash: string;
  readonly at: string;
}

/** An answer of a stream. */
export interface StreamAnswer {
  readonly stream: number;
  /** Only columns that are restricted. */
  readonly where: Conditions;
  readonly value: number;
  /** Easy answers follow from earlier ones. Hard ones have noise of their own. */
  readonly kind: 'easy' | 'hard';
  /** Analyst who asked first. */
  readonly analyst: string;
  readonly entry: Place;
}

/** A stream, and how far it has come. */
export interface Stream extends OpenedStream {
  /** The number of its entry. */
  readonly stream: number;
  readonly entry: Place;
  readonly answered: number;
  /** How many more questions may be hard. */
  readonly hardLeft: number;
  /** Why it answers no new questions; undefined while it does. */
  readonly ended?: string;
}

/** A stream, and whether its secret is still there. */
export interface StreamState {
  readonly stream: Stream;
  readonly isKept: boolean;
}

/** A stream with its answers, or the newest of them. */
export type StreamWithAnswers = Stream & { readonly answers: readonly StreamAnswer[] };

/** Question of the entry that ends a stream. */
const nameOf = (stream: number): string => `stream ${stream}`;

/** Prefix of the questions of all answers of a stream. */
const answersOf = (stream: number): string => `${nameOf(stream)} `;

/** A hash of what is canonical JSON. */
export const hashed = (json: Json): string => createHash('sha256').update(canonicalJson(json)).digest('hex');

/** Question of an answer's entry, by which it is found without reading others. */
export const questionNameOf = (stream: number, where: Conditions): string => `${answersOf(stream)}${hashed(where as unknown as Json)}`;

/**
 * The body of an answer. Easy and hard answers are of the same length: whether a full disk refuses one must not depend on which it is. An
 * analyst could repeat the question then, and would learn more than is charged.
 */
export const answerBody = (where: Conditions, value: number): Json => ({ where, value: `${value}`.padStart(17) }) as unknown as Json;

const placeOf = ({ n, hash, at }: Entry): Place => ({ n, hash, at });

/** The answer of an entry. */
export function streamAnswerOf(stream: number, entry: Entry): StreamAnswer {
  const { where, value } = entry.body as unknown as { readonly where: Conditions; readonly value: string };
  const kind = entry.kind === 'stream-hard' ? 'hard' : 'easy';
  return { stream, where, value: Number(value), kind, analyst: entry.analyst, entry: placeOf(entry) };
}

/** Why a stream is over. */
function endOf({ queries, hard, answered, hardLeft }: Stream, end: Entry | undefined, override: Entry | undefined): string | undefined {
  if (end !== undefined) return String(end.body);
  if (override !== undefined) return `answers may be lost, as the override of entry ${override.n} says`;
  if (hardLeft <= 0) return `it has answered all of its ${hard} hard questions`;
  return answered >= queries ? `it has answered all of its ${queries} questions` : undefined;
}

async function stateOf(ledger: LedgerTransaction, opened: Entry, isKept: boolean, override: Entry | undefined): Promise<StreamState> {
  const { charge: _charge, ...body } = opened.body as unknown as OpenedStream & { readonly charge: number };
  const counts = await ledger.count({ prefix: answersOf(opened.n) });
  const [hard, easy] = [counts.get('stream-hard') ?? 0, counts.get('stream-easy') ?? 0];
  const stream = { ...body, stream: opened.n, entry: placeOf(opened), answered: hard + easy, hardLeft: body.hard - hard };
  const [end] = await ledger.find({ question: nameOf(opened.n), kind: 'stream-end' });
  const ended = endOf(stream, end, override) ?? (isKept ? undefined : 'its counts are gone: deleted, or not in a backup');
  return { stream: { ...stream, ...(ended !== undefined && { ended }) }, isKept };
}

/** The stored answer to a question, if there is one. */
export async function storedIn(ledger: LedgerTransaction, { app, stream }: Stream, where: Conditions): Promise<StreamAnswer | undefined> {
  const [entry] = await ledger.find({ question: questionNameOf(stream, where), app });
  return entry && streamAnswerOf(stream, entry);
}

/** Answers of a stream in order: the newest, so many of them, or all. */
export const answersIn = async (ledger: LedgerTransaction, stream: number, newest?: number): Promise<readonly StreamAnswer[]> =>
  (await ledger.find({ prefix: answersOf(stream), ...(newest !== undefined && { newest }) })).map((entry) => streamAnswerOf(stream, entry));

/** The hard answers of a stream after an entry, in order. */
export const hardAfter = async (ledger: LedgerTransaction, { app, stream }: Stream, after: number): Promise<readonly StreamAnswer[]> =>
  (await ledger.find({ kind: 'stream-hard', app, prefix: answersOf(stream), after })).map((entry) => streamAnswerOf(stream, entry));

/** Reader of streams: an analyst reads their own; without an analyst, all. */
export interface Reader {
  readonly analyst?: string;
  /** The apps that the reader may see; empty for all. */
  readonly apps: readonly string[];
}

/** True if a reader may see a stream. */
export const readableBy =
  ({ analyst, apps }: Reader) =>
  ({ stream }: StreamState): boolean =>
    (analyst === undefined || stream.analysts.includes(analyst)) && (apps.length === 0 || apps.includes(stream.app));

/** A stream that a reader may see. @throws {RangeError} when there is no such stream, or it is that of others */
export async function stateFor(ledger: LedgerTransaction, reader: Reader, stream: number): Promise<StreamState> {
  const [state] = (await streamsIn(ledger, { n: stream })).filter(readableBy(reader));
  if (state !== undefined) return state;
  const whose = reader.analyst === undefined ? '' : ` that ${reader.analyst} may ask`;
  throw new RangeError(`stream: expected the number of a stream${whose}, as the list of streams has it, got ${stream}`);
}

/** Reads streams, without their answers. A stream that was opened before an override is over. */
export async function streamsIn(
  ledger: LedgerTransaction,
  wanted: Pick<Wanted, 'n' | 'app' | 'question'> = {},
): Promise<readonly StreamState[]> {
  const opened = await ledger.find({ ...wanted, kind: 'stream' });
  const [first] = opened;
  if (first === undefined) return [];
  const overrides = await ledger.find({ kind: 'override', after: first.n });
  const kept = new Set(await ledger.secrets.kept());
  const states: StreamState[] = [];
  for (const entry of opened) {
    const override = overrides.find(({ n }) => n > entry.n);
    states.push(await stateOf(ledger, entry, kept.has(entry.n), override));
  }
  return states;
}

/** Options from which the design of a stream followed. */
export function designOptionsOf({ epsilon, bound, columns, queries, about }: StreamAbout): DesignOptions {
  return { epsilon: parseAmount(epsilon, 'epsilon'), sensitivity: bound, cells: cellsOf(columns), queries, about };
}

/** Ends streams, and deletes what is kept of them. */
const ANYBODY = { apps: [] };

/** Ends a stream. @throws {RangeError} when there is no such stream */
export const endStream = (ledger: Ledger, who: string, number: number, reason: string): Promise<Stream> =>
  ledger.transact(async (transaction) => {
    const { stream } = await stateFor(transaction, ANYBODY, number);
    if (stream.ended === undefined) {
      await transaction.append(who, { kind: 'stream-end', app: stream.app, analyst: '', question: nameOf(number), body: reason });
      await transaction.log(who, `ended stream ${number} of ${stream.app}: ${reason}`, stream.app);
    }
    await transaction.secrets.drop(number);
    return (await stateFor(transaction, ANYBODY, number)).stream;
  });

/** Deletes what is kept of streams that have ended. A full disk must not keep an answer back, so another look deletes it then. */
export async function dropSecrets(ledger: Ledger, streams: readonly number[]): Promise<void> {
  try {
    await ledger.transact(async ({ secrets }) => {
      for (const stream of streams) await secrets.drop(stream);
    });
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
  }
}

/**
 * Deletes what is still kept of streams that have ended. It comes after the transaction of the last answer, so that a full disk can't tell
 * whether that was hard. A crash in between leaves the secret, so whoever finds such a stream calls this.
 */
export async function dropEnded(ledger: Ledger, states: readonly StreamState[]): Promise<void> {
  const left = states.filter(({ stream, isKept }) => isKept && stream.ended !== undefined);
  if (left.length === 0) return;
  await dropSecrets(
    ledger,
    left.map(({ stream }) => stream.stream),
  );
}

/** Deletes what is kept of the streams of an app, or without one of all. They answer no new questions after that. */
export const forgetStreams = (ledger: Ledger, app?: string): Promise<void> =>
  ledger.transact(async (transaction) => {
    for (const entry of await transaction.find({ kind: 'stream', ...(app !== undefined && { app }) }))
      await transaction.secrets.drop(entry.n);
  });
