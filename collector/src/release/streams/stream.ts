/** A stream in the ledger: what it was opened as, its answers, and whether it still answers. None of it is secret. */

import type { Json } from '@murmuration/shared';
import { parseAmount } from '../budget/amount.ts';
import type { costJson } from '../budget/budgets.ts';
import type { Entry, LedgerTransaction } from '../budget/ledger.ts';
import { type Columns, cellsOf } from '../mechanisms/synthetic.ts';
import type { DesignOptions, StreamDesign } from './design.ts';
import type { Conditions } from './request.ts';

type CostText = ReturnType<typeof costJson>;

/** What is known of a stream before it is opened. */
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

/** Where an entry stands in the ledger. */
interface Place {
  readonly n: number;
  readonly hash: string;
  readonly at: string;
}

/** An answer of a stream. */
export interface StreamAnswer {
  readonly stream: number;
  readonly where: Conditions;
  readonly value: number;
  /** Easy answers follow from earlier ones. Hard ones have noise of their own. */
  readonly kind: 'easy' | 'hard';
  /** Who asked first. */
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

/** A stream with its entries. */
export interface StreamState {
  readonly stream: Stream;
  readonly answers: readonly StreamAnswer[];
}

/** What the entries of a stream have as their question. */
export const nameOf = (stream: number): string => `stream ${stream}`;

/**
 * The body of an answer. Easy and hard answers are of the same length: whether a full disk refuses one must not depend on which it is. An
 * analyst could repeat the question then, and would learn more than is charged.
 */
export const answerBody = (where: Conditions, value: number): Json => ({ where, value: `${value}`.padStart(17) }) as unknown as Json;

const placeOf = ({ n, hash, at }: Entry): Place => ({ n, hash, at });

/** The answer of an entry. */
export function answerOf(stream: number, entry: Entry): StreamAnswer {
  const { where, value } = entry.body as unknown as { readonly where: Conditions; readonly value: string };
  const kind = entry.kind === 'stream-hard' ? 'hard' : 'easy';
  return { stream, where, value: Number(value), kind, analyst: entry.analyst, entry: placeOf(entry) };
}

/** Why a stream is over. */
function endOf({ queries, hard }: OpenedStream, answers: readonly StreamAnswer[], end: Entry | undefined, override: Entry | undefined) {
  if (end !== undefined) return String(end.body);
  if (override !== undefined) return `answers may be lost, as the override of entry ${override.n} says`;
  const hardOnes = answers.filter(({ kind }) => kind === 'hard').length;
  if (hardOnes >= hard) return `it has answered all of its ${hard} hard questions`;
  return answers.length >= queries ? `it has answered all of its ${queries} questions` : undefined;
}

async function stateOf(ledger: LedgerTransaction, opened: Entry, override: Entry | undefined): Promise<StreamState> {
  const { charge: _charge, ...body } = opened.body as unknown as OpenedStream & { readonly charge: number };
  const own = await ledger.find({ question: nameOf(opened.n) });
  const answers = own.flatMap((entry) => (entry.kind === 'stream-end' ? [] : answerOf(opened.n, entry)));
  const ended = endOf(
    body,
    answers,
    own.find(({ kind }) => kind === 'stream-end'),
    override,
  );
  const stream = {
    ...body,
    stream: opened.n,
    entry: placeOf(opened),
    answered: answers.length,
    hardLeft: body.hard - answers.filter(({ kind }) => kind === 'hard').length,
  };
  if (ended !== undefined) return { stream: { ...stream, ended }, answers };
  const isKept = (await ledger.secrets.of(opened.n)) !== undefined;
  return { stream: isKept ? stream : { ...stream, ended: 'its counts are gone: deleted, or not in a backup' }, answers };
}

/** Who reads streams: an analyst their own, or without one anybody's. */
export interface Reader {
  readonly analyst?: string;
  /** The apps that the reader may see; empty for all. */
  readonly apps: readonly string[];
}

/** Whether a reader may see a stream. */
export const readableBy =
  ({ analyst, apps }: Reader) =>
  ({ stream }: StreamState): boolean =>
    (analyst === undefined || stream.analysts.includes(analyst)) && (apps.length === 0 || apps.includes(stream.app));

/** A stream that an analyst may ask. @throws {RangeError} when there is no such stream, or it is that of others */
export async function stateFor(
  ledger: LedgerTransaction,
  { analyst, apps, stream }: Required<Reader> & { readonly stream: number },
): Promise<StreamState> {
  const [state] = (await streamsIn(ledger, stream)).filter(readableBy({ analyst, apps }));
  if (state !== undefined) return state;
  const own = (await streamsIn(ledger)).filter(readableBy({ analyst, apps })).map((each) => each.stream.stream);
  throw new RangeError(
    `stream: expected one of the streams of ${analyst}, ${own.length === 0 ? 'who has none' : own.join(', ').slice(0, 200)}, got ${stream}`,
  );
}

/** A stream. @throws {RangeError} when there is no such stream */
export async function stateIn(ledger: LedgerTransaction, stream: number): Promise<StreamState> {
  const [state] = await streamsIn(ledger, stream);
  if (state === undefined) throw new RangeError(`stream: expected the number of a stream, as release stream list shows it, got ${stream}`);
  return state;
}

/** Reads streams: all of them, or the one with a number. A stream that was opened before an override is over. */
export async function streamsIn(ledger: LedgerTransaction, number?: number): Promise<readonly StreamState[]> {
  const opened = await ledger.find({ kind: 'stream' });
  const overrides = await ledger.find({ kind: 'override' });
  const states: StreamState[] = [];
  for (const entry of opened) {
    if (number !== undefined && entry.n !== number) continue;
    states.push(
      await stateOf(
        ledger,
        entry,
        overrides.find(({ n }) => n > entry.n),
      ),
    );
  }
  return states;
}

/** What the design of a stream followed from. */
export function designOptionsOf({ epsilon, bound, columns, queries, about }: StreamAbout): DesignOptions {
  return { epsilon: parseAmount(epsilon, 'epsilon'), sensitivity: bound, cells: cellsOf(columns), queries, about };
}
