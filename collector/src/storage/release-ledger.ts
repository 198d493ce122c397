/**
 * The ledger of releases: budgets, charges, answers and overrides, one entry after the other. It is append-only. Each entry has a hash of
 * itself and the entry before it, so that whoever keeps the hash of one answer can tell whether what came before it was changed or lost.
 */

import { createHash } from 'node:crypto';
import type { Json } from '@murmuration/shared';
import { Fault } from '../base/fault.ts';
import { retry, untilPatienceEnds } from '../base/retry.ts';

/**
 * Kind of an entry: the settings of a table, the budget of an analyst, a charge, the answer that was drawn for a charge, or that an
 * admin went on after a restore. Of a stream (streams/streams.ts): that it was opened, an easy or a hard answer, or that it was closed.
 */
type Kind = 'table' | 'budget' | 'charge' | 'answer' | 'override' | 'stream' | 'stream-easy' | 'stream-hard' | 'stream-end';

/** An entry to be written. */
export interface NewEntry {
  readonly kind: Kind;
  /** The app whose table it concerns; '' for all. */
  readonly app: string;
  /** '' where it concerns no single analyst. */
  readonly analyst: string;
  /**
   * The hash of the question, of charges and answers. Of streams: `opening HASH` of what is opened and its charges, `stream 12 HASH` of an
   * answer, `stream 12` of the end. Else ''.
   */
  readonly question: string;
  readonly body: Json;
}

/** An entry. Its number is one more than that of the entry before it. */
export interface Entry extends NewEntry {
  readonly n: number;
  /** When, as `2026-11-20T12:00:00.000Z`. */
  readonly at: string;
  readonly who: string;
  /** SHA-256 of the hash before it and of the entry, in hexadecimal. */
  readonly hash: string;
}

/** The last entry; number 0 for a ledger without entries. */
export type Head = Pick<Entry, 'n' | 'hash'>;

export const NO_ENTRY: Head = { n: 0, hash: '' };

/** Which entries are wanted. What is left out does not matter. */
export interface Wanted extends Partial<Pick<Entry, 'n' | 'kind' | 'app' | 'analyst' | 'question'>> {
  /** Prefix of the question. */
  readonly prefix?: string;
  /** Only entries that come after this one. */
  readonly after?: number;
  /** Only so many of them, the newest. */
  readonly newest?: number;
}

/** The error of a ledger that may have lost entries: nothing is added to it until an admin has looked. */
export class InDoubt extends Fault {
  constructor(message: string) {
    super('in-doubt', message);
  }
}

/** A stream, by the number of its entry, and what must not be known of it. */
type Secret = readonly [stream: number, text: string];

/** The secrets of open streams, beside the ledger: no list and no route shows them, and no backup carries them. */
interface Secrets {
  readonly of: (stream: number) => Promise<string | undefined>;
  readonly keep: (...secret: Secret) => Promise<void>;
  /** Drops the secret of a stream; without one, those of all. */
  readonly drop: (stream?: number) => Promise<void>;
  /** The streams that have one. */
  readonly kept: () => Promise<readonly number[]>;
  readonly all: () => Promise<readonly Secret[]>;
}

/** The ledger while nobody else can write it. */
export interface LedgerTransaction {
  /** Milliseconds since 1970-01-01, by one clock for all who write the ledger. */
  readonly now: number;
  /** In the order in which they were written. */
  readonly find: (wanted: Wanted) => Promise<readonly Entry[]>;
  /** How many entries of each kind there are. None of them is read. */
  readonly count: (wanted: Wanted) => Promise<ReadonlyMap<Kind, number>>;
  /** @throws {InDoubt} when entries may be missing, unless `settle` was called */
  readonly append: (who: string, entry: NewEntry) => Promise<Entry>;
  /** Writes an action to the log of actions (admin/database.ts). */
  readonly log: (who: string, what: string, app?: string) => Promise<void>;
  readonly head: () => Promise<Head>;
  /** Why the ledger may have lost entries, which a restored backup has; undefined if nothing speaks for it. */
  readonly doubt: () => Promise<string | undefined>;
  /** Accepts the current ledger as complete. */
  readonly settle: () => Promise<void>;
  readonly secrets: Secrets;
}

/** A ledger in a store. */
export interface Ledger {
  /** Runs work while no other process or connection can write the ledger. What it has appended is durable when this resolves. */
  readonly transact: <T>(work: (ledger: LedgerTransaction) => Promise<T>) => Promise<T>;
  /** True if an error of `transact` may pass: the store is away, full, or does not allow a write. */
  readonly mayPass: (error: unknown) => boolean;
  readonly close: () => Promise<void>;
}

/** Runs a transaction that writes what was charged before, again while the store can't: a charge should not stay without its answer. */
export function insist<T>({ transact, mayPass }: Ledger, work: (ledger: LedgerTransaction) => Promise<T>): Promise<T> {
  const pause = untilPatienceEnds();
  return retry(
    () => transact(work),
    (error) => pause(error, mayPass(error)),
  );
}

/** A ledger on its way to another store. */
export interface LedgerCopy {
  readonly entries: readonly Entry[];
  /** Why entries may be missing, which holds in the other store, too. */
  readonly doubt: string | undefined;
  readonly secrets: readonly Secret[];
}

/** Copies a ledger. */
export const copyOf = (ledger: Ledger): Promise<LedgerCopy> =>
  ledger.transact(async (transaction) => ({
    entries: await transaction.find({}),
    doubt: await transaction.doubt(),
    secrets: await transaction.secrets.all(),
  }));

/** The hash of an entry that follows another. Parsing a body and writing it again gives the same text: keys keep their order. */
export const hashOf = (before: string, { n, at, who, kind, app, analyst, question, body }: Omit<Entry, 'hash'>): string =>
  createHash('sha256')
    .update(JSON.stringify([before, n, at, who, kind, app, analyst, question, body]))
    .digest('hex');

/** The entry that follows another, written at this time. */
export function following(head: Head, who: string, entry: NewEntry, now: number): Entry {
  const next = { ...entry, n: head.n + 1, at: new Date(now).toISOString(), who };
  return { ...next, hash: hashOf(head.hash, next) };
}

/** The columns of an entry in both stores. */
const COLUMNS = ['n', 'at', 'who', 'kind', 'app', 'analyst', 'question', 'body', 'hash'] as const;

/** An entry as a row. */
const rowOf = ({ body, ...entry }: Entry): readonly (string | number)[] =>
  COLUMNS.map((column) => (column === 'body' ? JSON.stringify(body) : entry[column]));

/** A row as an entry. */
function entryOf(row: readonly unknown[]): Entry {
  const [n, at, who, kind, app, analyst, question, body, hash] = row.map(String) as [
    n: string,
    at: string,
    who: string,
    kind: Kind,
    app: string,
    analyst: string,
    question: string,
    body: string,
    hash: string,
  ];
  return { n: Number(n), at, who, kind, app, analyst, question, body: JSON.parse(body) as Json, hash };
}

/** The text that follows all texts with a prefix, in the order of their bytes. */
const textAfter = (prefix: string): string => `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;

/** The condition of a query, and its values. */
function conditionOf({ prefix, after, newest: _newest, ...same }: Wanted): readonly [sql: string, values: readonly string[]] {
  const given: (readonly [condition: string, value: string])[] = [
    ...Object.entries(same).map(([column, value]) => [`${column} =`, `${value}`] as const),
    ...(prefix === undefined
      ? []
      : ([
          ['question >=', prefix],
          ['question <', textAfter(prefix)],
        ] as const)),
    ...(after === undefined ? [] : [['n >', `${after}`] as const]),
  ];
  const sql = given.map(([condition], i) => `${condition} $${i + 1}`).join(' AND ');
  return [sql && `WHERE ${sql}`, given.map(([, value]) => value)];
}

/** Runs a statement of SQL that both stores understand, with parameters `$1`, `$2` in this order. Resolves to its rows. */
type Run = (sql: string, values?: readonly (string | number | null)[]) => Promise<readonly (readonly unknown[])[]>;

/** The statements of a ledger. */
export interface LedgerStatements extends Pick<LedgerTransaction, 'find' | 'count' | 'secrets'> {
  readonly last: () => Promise<Entry | undefined>;
  readonly insert: (entry: Entry) => Promise<unknown>;
}

/**
 * The statements of a ledger, which are the same in both stores.
 *
 * @param schema prefix of the tables
 * @param dropped is called when secrets were deleted
 */
export function ledgerStatements(run: Run, schema = '', dropped: () => void = () => undefined): LedgerStatements {
  const [entries, secrets] = [`${schema}release_entry`, `${schema}release_secret`];
  const find = async (wanted: Wanted): Promise<readonly Entry[]> => {
    const [condition, values] = conditionOf(wanted);
    const select = `SELECT ${COLUMNS} FROM ${entries} ${condition} ORDER BY n`;
    if (wanted.newest === undefined) return (await run(select, values)).map(entryOf);
    const rows = await run(`${select} DESC LIMIT CAST($${values.length + 1} AS bigint)`, [...values, wanted.newest]);
    return rows.map(entryOf).reverse();
  };
  return {
    find,
    last: async () => (await find({ newest: 1 }))[0],
    count: async (wanted) => {
      const [condition, values] = conditionOf(wanted);
      const rows = await run(`SELECT kind, count(*) FROM ${entries} ${condition} GROUP BY kind`, values);
      return new Map(rows.map(([kind, found]) => [kind as Kind, Number(found)]));
    },
    insert: (entry) => run(`INSERT INTO ${entries} (${COLUMNS}) VALUES (${COLUMNS.map((_, i) => `$${i + 1}`)})`, rowOf(entry)),
    secrets: {
      of: async (stream) => (await run(`SELECT secret FROM ${secrets} WHERE stream = $1`, [stream]))[0]?.[0] as string | undefined,
      keep: async (...secret) => void (await run(`INSERT INTO ${secrets} VALUES ($1, $2)`, secret)),
      drop: async (stream) => {
        const condition = stream === undefined ? '' : 'WHERE stream = $1';
        const gone = await run(`DELETE FROM ${secrets} ${condition} RETURNING stream`, stream === undefined ? [] : [stream]);
        if (gone.length > 0) dropped();
      },
      kept: async () => (await run(`SELECT stream FROM ${secrets} ORDER BY stream`)).map(([stream]) => Number(stream)),
      all: async () =>
        (await run(`SELECT stream, secret FROM ${secrets} ORDER BY stream`)).map(([stream, secret]) => [Number(stream), String(secret)]),
    },
  };
}

/** A ledger that is opened when it is first used. */
export function lazyLedger(open: () => Ledger): Ledger {
  let opened: Ledger | undefined;
  return {
    transact: async (work) => {
      opened ??= open();
      return opened.transact(work);
    },
    mayPass: (error) => opened?.mayPass(error) === true,
    close: async () => opened?.close(),
  };
}
