/**
 * Ids of whole days, copied into their partitions: COPY in the database's binary format, then the key. The index has the room that random
 * inserts leave in its pages (ln 2 of a page is used, Yao, "On random 2-3 trees", 1978), so that what is inserted on top finds it as it would.
 */

import { spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { connected } from '#collector/storage/postgres/connection.ts';
import { SCHEMA } from '#collector/storage/postgres/tables.ts';
import { programOf } from '../../setup/postgres-server.ts';

const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const TRAILER = Buffer.from([0xff, 0xff]);
/** Bytes of a row: the number of its fields, and each field after its length: shard, day, id, body. */
const ROW = 2 + (4 + 2) + (4 + 4) + (4 + 16) + (4 + 8);
const [SHARD, DAY, ID, BODY] = [6, 12, 20, 40] as const;
const ROWS = 10_000;
/** Per cent of a page of the index that are used. */
const FILLED = 69;

/** Rows of a day, with random ids and bodies, in parts. */
function* rowsOf(day: number, count: number): Generator<Buffer> {
  const random = Buffer.alloc(24 * ROWS);
  for (let left = count; left > 0; left -= ROWS) {
    const rows = Buffer.alloc(ROW * Math.min(left, ROWS)); // of its own: it is still being written when the next is made
    randomFillSync(random);
    for (let at = 0, from = 0; at < rows.length; at += ROW, from += 24) {
      rows.writeInt16BE(4, at);
      rows.writeInt32BE(2, at + SHARD - 4);
      rows.writeInt16BE(random[from] as number, at + SHARD);
      rows.writeInt32BE(4, at + DAY - 4);
      rows.writeInt32BE(day, at + DAY);
      rows.writeInt32BE(16, at + ID - 4);
      random.copy(rows, at + ID, from, from + 16);
      rows.writeInt32BE(8, at + BODY - 4);
      random.copy(rows, at + BODY, from + 16, from + 24);
    }
    yield rows;
  }
}

/** What the ids of a day take on the disk, in bytes: table and index. */
export interface Copied {
  readonly table: number;
  readonly index: number;
}

/** Creates the partition of a day with so many ids, in one transaction. */
export async function copyIds(url: string, day: number, count: number): Promise<Copied> {
  const name = `${SCHEMA}.batch_id_${day}`;
  const statements = [
    'SET LOCAL client_min_messages = warning',
    `DROP TABLE IF EXISTS ${name}`, // a collector has created it ahead, and it is empty
    `CREATE TABLE ${name} (LIKE ${SCHEMA}.batch_id)`,
    `\\copy ${name} FROM pstdin WITH (FORMAT binary, FREEZE)`,
    `ALTER TABLE ${name} ADD PRIMARY KEY (shard, day, id) WITH (fillfactor = ${FILLED})`,
    `ALTER TABLE ${SCHEMA}.batch_id ATTACH PARTITION ${name} FOR VALUES IN (${day})`,
  ];
  const args = ['--no-psqlrc', '--quiet', '--single-transaction', '--set=ON_ERROR_STOP=1', ...statements.flatMap((sql) => ['-c', sql])];
  const psql = spawn(programOf('psql'), [...args, url], { stdio: ['pipe', 'ignore', 'inherit'] });
  const exited = once(psql, 'exit');
  const write = async (bytes: Buffer): Promise<void> => {
    if (!psql.stdin.write(bytes)) await Promise.race([once(psql.stdin, 'drain'), exited]);
  };
  psql.stdin.on('error', () => undefined); // its exit code says more
  await write(HEADER);
  for (const rows of rowsOf(day, count)) {
    if (psql.exitCode !== null) break;
    await write(rows);
  }
  psql.stdin.end(TRAILER);
  const [code] = await exited;
  if (code !== 0) throw new Error(`expected ${count} ids to be copied, got exit code ${code} of psql`);
  return connected({ postgres: url }, async (query) => {
    const [[table, index] = []] = await query(`SELECT pg_table_size('${name}'), pg_indexes_size('${name}')`);
    return { table: Number(table), index: Number(index) };
  });
}
