/**
 * The database that `murmuration migrate` fills. What has been copied stands in two tables that are there until the end, and is written in
 * the same transactions as the copy; so a move that was cut off at any point goes on, and copies nothing twice.
 */

import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { createCheck } from '../postgres/checks.ts';
import { Database, type Query } from '../postgres/database.ts';
import { UnfitDatabase } from '../postgres/errors.ts';
import { prepareFilling } from '../postgres/opening.ts';
import { Partitions } from '../postgres/partitions.ts';
import { fillLedger } from '../postgres/release-ledger.ts';
import { fillAdmin } from '../postgres/replica.ts';
import { FILLING, SCHEMA, STEPS, shardOf } from '../postgres/tables.ts';
import type { LedgerCopy } from '../release-ledger.ts';
import type { PostgresSource } from '../store.ts';
import { type IdPart, insertIds } from './ids.ts';
import { columns, deletePieces, insertPieces } from './pieces.ts';
import type { Borders, Content, Piece, SourceMetric } from './source.ts';

/** What there is while the database is filled: `run` is the process that fills it. The id stays. */
const TABLES = `
  CREATE TABLE ${SCHEMA}.move (id text NOT NULL, run text, ids_first bigint, ids_checksum text);
  CREATE TABLE ${SCHEMA}.move_piece (
    kind text NOT NULL, metric text COLLATE "C" NOT NULL, schema text COLLATE "C" NOT NULL, day integer NOT NULL,
    reports bigint NOT NULL, held bigint NOT NULL, app text NOT NULL, rows bigint NOT NULL, bytes bigint NOT NULL,
    PRIMARY KEY (kind, metric, schema, day)
  )`;

/** Another process fills the database now. */
class Overtaken extends Error {}

/** Whether a database is ready to be filled from a folder, or was filled from it to the end. */
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
  /** Whether the folder says that its move is over. */
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
