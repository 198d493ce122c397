/**
 * The database that `murmuration migrate` fills. Two tables, which are there until the end, list what has been copied, and are written in
 * the same transactions as the copy; so a move that was cut off at any point goes on, and copies nothing twice.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { InternalFault } from '../../base/fault.ts';
import { Partitions } from '../postgres/batch-ids.ts';
import { Database, type Query } from '../postgres/database.ts';
import { UnfitDatabase } from '../postgres/errors.ts';
import { createCheck, prepareFilling } from '../postgres/opening.ts';
import { encodedTallies, unpackTallies } from '../postgres/packed.ts';
import { fillLedger } from '../postgres/release-ledger.ts';
import { fillAdmin } from '../postgres/replica.ts';
import { FILLING, SCHEMA, STEPS, shardOf } from '../postgres/tables.ts';
import type { LedgerCopy } from '../release-ledger.ts';
import type { PostgresSource } from '../store.ts';
import { columns, deletePieces, type IdPart, insertIds, insertPieces } from './pieces.ts';
import type { Borders, Content, Piece, Source, SourceMetric, StoredTally } from './source.ts';

/** Tables that exist while the database is filled: `run` is the process that fills it. The id stays. */
const TABLES = `
  CREATE TABLE ${SCHEMA}.move (id text NOT NULL, run text, ids_first bigint, ids_checksum text);
  CREATE TABLE ${SCHEMA}.move_piece (
    kind text NOT NULL, metric text COLLATE "C" NOT NULL, schema text COLLATE "C" NOT NULL, day integer NOT NULL,
    reports bigint NOT NULL, held bigint NOT NULL, app text NOT NULL, rows bigint NOT NULL, bytes bigint NOT NULL,
    PRIMARY KEY (kind, metric, schema, day)
  )`;

/** Another process fills the database now. */
class Overtaken extends InternalFault {}

/** Readiness of a database: to be filled from a folder, or filled from it to the end. */
export type Readiness = 'filling' | 'whole';

/** A piece that was copied, and the bytes of its tallies. */
export type Copied = Piece & { readonly bytes: number };

/** The name of a piece. */
export const nameOf = ({ kind, schema, metric, day }: Pick<Piece, 'kind' | 'schema' | 'metric' | 'day'>): string =>
  `${kind}\n${schema}\n${metric}\n${day}`;

/** The mark of a folder whose store is moved. */
export interface Mark {
  /** The id that the folder is marked with now: another process may have begun since. */
  readonly id: () => string | undefined;
  /** Marks the folder with the id of a move into an empty database, and returns it. */
  readonly begin: () => string;
  /** True if the folder says that its move is over. */
  readonly isOver: boolean;
}

/** The id of the move that has filled a database, or fills it. */
async function moveIn(query: Query): Promise<string | undefined> {
  const [[table] = []] = await query(`SELECT to_regclass('${SCHEMA}.move')`);
  if (table === null) return undefined;
  const [[id] = []] = await query(`SELECT id FROM ${SCHEMA}.move`);
  return id === undefined ? undefined : String(id);
}

/**
 * Prepares a database for the store of a folder.
 *
 * @throws {UnfitDatabase} when it can't hold the store, or has other data
 */
export const prepareTarget = (source: PostgresSource, mark: Mark, isLossAllowed: boolean): Promise<Readiness> =>
  prepareFilling(
    source,
    isLossAllowed,
    async (query): Promise<Readiness> => {
      if (mark.isOver) throw new UnfitDatabase('expected the database that the folder was moved to, got one without a store');
      await query(TABLES);
      await query(`INSERT INTO ${SCHEMA}.move (id) VALUES ($1)`, [mark.begin()]);
      return 'filling';
    },
    async (query, version): Promise<Readiness> => {
      const isOfFolder = (await moveIn(query)) === mark.id();
      if (version === FILLING) {
        if (isOfFolder) return 'filling';
        throw new UnfitDatabase(
          'expected a database without a store, got one that is being filled from another folder, or was before this folder was copied to another database',
        );
      }
      if (mark.isOver && isOfFolder && version === STEPS.length) return 'whole';
      throw new UnfitDatabase(
        mark.isOver && !isOfFolder
          ? 'expected the database that the folder was moved to, got another one with a store'
          : `expected a database without a store, got one with tables of version ${version}, whose reports would be mixed with those of the folder`,
      );
    },
  );

/** A database that is filled. */
export class Target {
  readonly database: Database;
  readonly #partitions: Partitions;
  readonly #run = randomUUID();

  constructor(source: PostgresSource, isLossAllowed: boolean) {
    this.database = new Database(source, { connections: 1, isGuarded: false, check: createCheck(isLossAllowed) });
    this.#partitions = new Partitions(this.database);
  }

  /** Takes the database over from a former run, and sets the borders. Returns the pieces that are there, and where the ids go on. */
  async begin({ closed, rolled, kept }: Borders): Promise<{
    readonly pieces: ReadonlyMap<string, Copied>;
    readonly after: Pick<IdPart, 'first' | 'checksum'> | undefined;
  }> {
    return this.database.transaction(async (query) => {
      // The folder may have opened days again since: their ids, which a former run has skipped, are copied from the first one on.
      const [[first, checksum] = []] = await query(
        `UPDATE ${SCHEMA}.move SET run = $1,
            ids_first = CASE WHEN $2 < (SELECT closed FROM ${SCHEMA}.store) THEN NULL ELSE ids_first END
          RETURNING ids_first, ids_checksum`,
        [this.#run, closed],
      );
      await query(`UPDATE ${SCHEMA}.store SET closed = $1, rolled = greatest(rolled, $2), kept = greatest(kept, $3)`, [
        ...[closed, rolled, kept],
      ]);
      const rows = await query(`SELECT kind, schema, metric, day, reports, held, bytes FROM ${SCHEMA}.move_piece`);
      const pieces = rows.map(
        ([kind, schema, metric, day, reports, held, bytes]): Copied => ({
          ...{ kind: kind as Piece['kind'], schema: String(schema), metric: String(metric), day: Number(day) },
          ...{ reports: Number(reports), held: Number(held), bytes: Number(bytes) },
        }),
      );
      return {
        pieces: new Map(pieces.map((piece) => [nameOf(piece), piece])),
        after: first === null ? undefined : { first: Number(first), checksum: String(checksum) },
      };
    });
  }

  /** The borders that collectors will find. */
  async borders(): Promise<Borders> {
    const [row = []] = await this.database.transaction((query) => query(`SELECT closed, rolled, kept FROM ${SCHEMA}.store`));
    const [closed, rolled, kept] = row.map(Number) as [number, number, number];
    return { closed, rolled, kept };
  }

  /** Writes pieces in place of what a former run has copied of them. */
  async putPieces(pieces: readonly Content[]): Promise<void> {
    await this.#alone(async (query) => {
      await deletePieces(query, pieces);
      await insertPieces(query, pieces);
    });
  }

  /** Deletes pieces that the folder no longer has. */
  async dropPieces(pieces: readonly Piece[]): Promise<void> {
    if (pieces.length > 0) await this.#alone((query) => deletePieces(query, pieces));
  }

  async putIds(part: IdPart): Promise<void> {
    await this.#partitions.ensure(part.days);
    await this.#alone(async (query) => {
      await insertIds(query, part);
      await query(`UPDATE ${SCHEMA}.move SET ids_first = $1, ids_checksum = $2`, [part.first, part.checksum]);
    });
  }

  /** Writes the totals of metrics, and what each app holds. */
  async putTotals(
    metrics: readonly SourceMetric[],
    appIds: readonly { readonly app: string; readonly day: number; readonly ids: number }[],
  ): Promise<void> {
    await this.#alone(async (query) => {
      for (const table of ['metric', 'room', 'app_ids']) await query(`DELETE FROM ${SCHEMA}.${table}`);
      await query(
        `INSERT INTO ${SCHEMA}.metric (shard, metric, schema, reports, first, last, epoch) SELECT rows.*, epoch FROM ${SCHEMA}.store,
          unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::integer[], $6::integer[]) AS rows`,
        columns(
          metrics.map(({ schema, metric, reports, first, last }) => [shardOf(schema, metric), metric, schema, reports, first, last]),
          6,
        ),
      );
      await query(
        `INSERT INTO ${SCHEMA}.room (shard, app, day, rows, bytes)
          SELECT 0, app, day, sum(rows), sum(bytes) FROM ${SCHEMA}.move_piece GROUP BY app, day HAVING sum(rows) > 0`,
      );
      await query(
        `INSERT INTO ${SCHEMA}.app_ids (shard, app, day, ids) SELECT 0, * FROM unnest($1::text[], $2::integer[], $3::bigint[])`,
        columns(
          appIds.map(({ app, day, ids }) => [app, day, ids]),
          3,
        ),
      );
    });
  }

  /** Hands the database over to collectors: with the administration and the ledger of releases, in one transaction. */
  async finish(admin: DatabaseSync, releases: LedgerCopy): Promise<void> {
    await this.#alone(async (query) => {
      await fillAdmin(query, admin);
      await fillLedger(query, releases);
      await query(`UPDATE ${SCHEMA}.store SET version = $1, admin = admin + 1`, [STEPS.length]);
      await query(`UPDATE ${SCHEMA}.move SET run = NULL`);
      await query(`DROP TABLE ${SCHEMA}.move_piece`);
    });
  }

  close(): Promise<void> {
    return this.database.close();
  }

  /** Runs a transaction that only the newest run may commit. */
  #alone<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.database.transaction(async (query) => {
      const rows = await query(`SELECT 1 FROM ${SCHEMA}.move WHERE run = $1 FOR UPDATE`, [this.#run]);
      if (rows.length === 0) throw new Overtaken('another migrate has taken over: it goes on where this one was');
      return work(query);
    });
  }
}

// Checksums of all that readers see, taken from an embedded store and from the database by ways that share nothing but the order: metrics by
// schema and name, their days, then their months, and in each the segments and cohorts, with the reports and the bytes of the counts.

/** Bytes of tallies that are read from the database at once. */
const MOST_BYTES = 2 ** 23;

/** A day after all days. */
const NO_DAY = 2 ** 31 - 1;

/** Amounts and their checksum. */
export interface Sum {
  readonly metrics: number;
  readonly tallies: number;
  readonly reports: number;
  readonly checksum: string;
}

/** Adds up what is read in order. */
class Summing {
  readonly #hash = createHash('sha256');
  #metrics = 0;
  #tallies = 0;
  #reports = 0;

  metric({ schema, metric, reports, first, last }: SourceMetric): void {
    this.#metrics++;
    this.#say('metric', schema, metric, reports, first, last);
  }

  tally(kind: Piece['kind'], day: number, { segment, cohort, reports, cells }: StoredTally): void {
    this.#tallies++;
    this.#reports += reports;
    this.#say(kind, day, segment, cohort, reports, cells.length);
    this.#hash.update(cells);
  }

  counts(name: 'total' | 'ones', rows: readonly (readonly number[])[]): void {
    for (const row of rows) this.#say(name, ...row);
  }

  sum(): Sum {
    const checksum = this.#hash.digest('hex').slice(0, 32);
    return { metrics: this.#metrics, tallies: this.#tallies, reports: this.#reports, checksum };
  }

  #say(...values: readonly unknown[]): void {
    this.#hash.update(`${JSON.stringify(values)}\n`);
  }
}

/** The pieces of each metric, days before months, each in order. */
function piecesByMetric<T extends Piece>(pieces: Iterable<T>): ReadonlyMap<string, readonly T[]> {
  const metrics = new Map<string, T[]>();
  for (const piece of pieces) {
    const name = `${piece.schema}\n${piece.metric}`;
    metrics.set(name, metrics.get(name) ?? []);
    metrics.get(name)?.push(piece);
  }
  const rank = ({ kind, day }: Piece): number => day + (kind === 'day' ? 0 : 2 ** 32);
  for (const all of metrics.values()) all.sort((a, b) => rank(a) - rank(b));
  return metrics;
}

/** The checksum of an embedded store that nobody writes. */
export function sumOfSource(source: Source): Sum {
  const summing = new Summing();
  const pieces = piecesByMetric(source.pieces());
  for (const metric of source.metrics()) {
    summing.metric(metric);
    for (const piece of pieces.get(`${metric.schema}\n${metric.metric}`) ?? [])
      for (const tally of source.tallies(piece)) summing.tally(piece.kind, piece.day, tally);
    summing.counts('total', source.totals(metric));
    summing.counts('ones', source.ones(metric));
  }
  return summing.sum();
}

/** All days in ranges that are read at once. */
function* rangesOf(pieces: readonly Copied[]): Generator<readonly [from: number, to: number]> {
  let [from, bytes] = [0, 0];
  for (const { day, bytes: more } of pieces) {
    if (bytes > 0 && bytes + more > MOST_BYTES) {
      yield [from, day - 1];
      [from, bytes] = [day, 0];
    }
    bytes += more;
  }
  yield [from, NO_DAY];
}

const OF_METRIC = 'shard = $1 AND metric = $2 AND schema = $3';

type Key = readonly [shard: number, metric: string, schema: string];

async function readDays(query: Query, key: Key, kind: Piece['kind'], days: readonly [number, number], summing: Summing): Promise<void> {
  const rows = await query(
    `SELECT day, segment, cells FROM ${SCHEMA}.${kind === 'day' ? 'tally' : 'monthly'}
      WHERE ${OF_METRIC} AND day BETWEEN $4 AND $5 ORDER BY day, segment, block`,
    [...key, ...days],
  );
  for (const [day, segment, cells] of rows)
    for (const [cohort, tally] of encodedTallies(unpackTallies(cells as Uint8Array)))
      summing.tally(kind, Number(day), { segment: String(segment), cohort, ...tally });
}

/**
 * The checksum of a database that nobody writes.
 *
 * @param copied says how much may be read at once, and nothing else
 */
export async function sumOfTarget(database: Database, copied: Iterable<Copied>): Promise<Sum> {
  const summing = new Summing();
  const pieces = piecesByMetric(copied);
  const metrics = await database.transaction((query) =>
    query(`SELECT schema, metric, reports, first, last FROM ${SCHEMA}.metric ORDER BY schema, metric`),
  );
  const dayOf = (day: unknown): number | null => (day === null ? null : Number(day));
  for (const row of metrics) {
    const [schema, metric] = [String(row[0]), String(row[1])];
    const key: Key = [shardOf(schema, metric), metric, schema];
    summing.metric({ schema, metric, reports: Number(row[2]), first: dayOf(row[3]), last: dayOf(row[4]) });
    const known = pieces.get(`${schema}\n${metric}`) ?? [];
    for (const kind of ['day', 'month'] as const)
      for (const days of rangesOf(known.filter((piece) => piece.kind === kind)))
        await database.transaction((query) => readDays(query, key, kind, days, summing));
    const counts = await database.transaction(async (query) => [
      await query(`SELECT day, reports FROM ${SCHEMA}.total WHERE ${OF_METRIC} ORDER BY day`, key),
      await query(`SELECT day, ones, reports FROM ${SCHEMA}.ones WHERE ${OF_METRIC} ORDER BY day, ones`, key),
    ]);
    for (const [i, rows] of counts.entries())
      summing.counts(
        i === 0 ? 'total' : 'ones',
        rows.map((each) => each.map(Number)),
      );
  }
  return summing.sum();
}
