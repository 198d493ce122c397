/**
 * What a database must be, so that the store loses nothing that it has confirmed, counts nothing twice, and never stops at midnight because
 * the role can't create the partition of the next day.
 */

import type { Query } from './database.ts';
import { checkWritable, UnfitDatabase } from './errors.ts';
import { SCHEMA, SHARDS, STEPS } from './tables.ts';

/** The oldest server: older ones get no fixes after November 2026, and nobody tests with them here. */
const OLDEST = 15;

/** Settings without which a confirmed transaction may be lost or torn in a crash. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

const TABLES = STEPS.flatMap((step) => [...step.matchAll(/CREATE TABLE murmuration\.(\w+)/g)].map(([, name]) => String(name)));

/** The words for a role that lacks rights. */
export const noRight = (reason: string): string =>
  `expected a role that may create and use the tables of schema ${SCHEMA}, got one that may not: ${reason}`;

async function settingsOf(query: Query): Promise<ReadonlyMap<string, string>> {
  const names = [...DURABLE, 'server_version_num', 'server_version'];
  const rows = await query('SELECT name, setting FROM pg_settings WHERE name = ANY($1)', [names]);
  return new Map(rows.map(([name, setting]) => [String(name), String(setting)]));
}

/** Checks a server. @throws {UnfitDatabase} when it is too old, or may lose what it has confirmed, unless that is allowed */
export function checkSettings(settings: ReadonlyMap<string, string>, isLossAllowed: boolean): void {
  if (!(Number(settings.get('server_version_num')) >= OLDEST * 10_000))
    throw new UnfitDatabase(`expected PostgreSQL ${OLDEST} or later, got ${settings.get('server_version')}`);
  const off = DURABLE.filter((name) => settings.get(name) === 'off');
  if (off.length > 0 && !isLossAllowed)
    throw new UnfitDatabase(
      `expected a server that keeps what it confirms, got one with ${off.join(' and ')} off: set it to on, or say --allow-loss where reports may be lost`,
    );
}

/** Checks a connection that may lead to another server than the last one. @throws {UnfitDatabase} */
export const createCheck =
  (isLossAllowed: boolean) =>
  async (query: Query): Promise<void> => {
    checkSettings(await settingsOf(query), isLossAllowed);
    const [[isStandby, isReadOnly, encoding] = []] = await query(
      `SELECT pg_is_in_recovery(), current_setting('transaction_read_only'), pg_encoding_to_char(encoding)
        FROM pg_database WHERE datname = current_database()`,
    );
    if (isStandby === true) throw new UnfitDatabase('expected a primary, got a standby, which takes no batches');
    checkWritable(isReadOnly);
    // Another encoding lacks letters of segments and schemas, and one such batch would spoil the flush of many others.
    if (encoding !== 'UTF8') throw new UnfitDatabase(`expected a database with the encoding UTF8, got ${encoding}`);
  };

/**
 * Checks the tables of this version and the rights of the role: it creates a partition each day, and the primary keys are what keeps a batch
 * from being counted twice.
 *
 * @throws {UnfitDatabase}
 */
export async function checkTables(query: Query): Promise<void> {
  const [[mayCreate] = []] = await query(`SELECT has_schema_privilege('${SCHEMA}', 'CREATE')`);
  if (mayCreate !== true) throw new UnfitDatabase(noRight(`it lacks CREATE on the schema ${SCHEMA}`));
  const [[foreign] = []] = await query(
    `SELECT relname FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND NOT pg_has_role(relowner, 'USAGE')
      AND (relname = ANY($1) OR relname ~ '^batch_id_[0-9]+$') ORDER BY relname LIMIT 1`,
    [TABLES],
  );
  if (foreign !== undefined) throw new UnfitDatabase(noRight(`it does not own the table ${foreign}`));
  const [[keyless] = []] = await query(
    `SELECT name FROM unnest($1::text[]) AS name WHERE NOT EXISTS
      (SELECT 1 FROM pg_index WHERE indrelid = to_regclass('${SCHEMA}.' || name) AND indisprimary AND indisvalid) LIMIT 1`,
    [TABLES],
  );
  if (keyless !== undefined)
    throw new UnfitDatabase(`expected a primary key of each table, got none of ${keyless}: without it, batches may be counted twice`);
  const [[shards] = []] = await query(`SELECT count(*)::integer FROM ${SCHEMA}.shard`);
  if (shards !== SHARDS) throw new UnfitDatabase(`expected ${SHARDS} rows in the table shard, got ${shards}`);
}
