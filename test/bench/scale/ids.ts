/**
 * What ids of batches take: on the disk, and in the database's log. An id is random, so it goes to a random page of its day's index, and the
 * first change of a page after a checkpoint puts all of the page into the log. Of P pages, n inserts change P * (1 - exp(-n / P)) (n balls
 * into P boxes).
 */

import { connected } from '#collector/storage/postgres/connection.ts';
import type { Query } from '#collector/storage/postgres/database.ts';
import { withCluster } from '../../faults/postgres/cluster.ts';

const [FILLED, INSERTED, FLUSH] = [1_000_000, 30_000, 1_000];
const PAGE = 8_192;

/** What an id takes. */
export interface IdCosts {
  /** Bytes on the disk, in the table and in its index. */
  readonly row: number;
  readonly index: number;
  /** Ids of a page of the index. */
  readonly perPage: number;
  /** Bytes in the log of an id alone, and of a page as a whole. */
  readonly logged: number;
  readonly page: number;
}

/** The costs, and the pages that went into the log as a whole, beside those that are expected. */
export interface MeasuredIds {
  readonly costs: IdCosts;
  readonly pages: number;
  readonly expected: number;
}

/** The pages of an index that so many inserts change. */
export const pagesChanged = (pages: number, inserts: number): number => -pages * Math.expm1(-inserts / pages);

const numbers = async (query: Query, sql: string): Promise<readonly number[]> => ((await query(sql))[0] ?? []).map(Number);

/** Inserts ids as flushes do. Returns the bytes and the whole pages that the log has got. */
async function insert(query: Query): Promise<readonly [bytes: number, pages: number]> {
  const state = (): Promise<readonly number[]> => numbers(query, "SELECT pg_current_wal_lsn() - '0/0', (SELECT wal_fpi FROM pg_stat_wal)");
  const settle = async (): Promise<readonly number[]> => {
    await query('SELECT pg_stat_force_next_flush()');
    return state();
  };
  const [bytes = 0, pages = 0] = await settle();
  for (let i = 0; i < INSERTED / FLUSH; i++)
    await query(`INSERT INTO ids SELECT (random() * 255)::smallint, 1, gen_random_uuid(), 0 FROM generate_series(1, ${FLUSH})`);
  const [bytesThen = 0, pagesThen = 0] = await settle();
  return [bytesThen - bytes, pagesThen - pages];
}

/** Fills a table, and inserts more after a checkpoint. */
const fill = (url: string) =>
  connected({ postgres: url }, async (query) => {
    await query('CREATE TABLE ids (shard smallint, day integer, id uuid, body bigint, PRIMARY KEY (shard, day, id))');
    for (let i = 0; i < 10; i++)
      await query(`INSERT INTO ids SELECT (random() * 255)::smallint, 1, gen_random_uuid(), 0 FROM generate_series(1, ${FILLED / 10})`);
    const [table = 0, index = 0] = await numbers(query, "SELECT pg_relation_size('ids'), pg_relation_size('ids_pkey')");
    await query('CHECKPOINT');
    const [bytes, whole] = await insert(query);
    return { table, index, bytes, whole };
  });

/** Measures on servers of its own, one of which logs no whole pages. */
export async function measureIds(): Promise<MeasuredIds> {
  const { table, index, bytes, whole } = await withCluster(({ url }) => fill(url));
  const without = await withCluster(({ url }) => fill(url), ['full_page_writes=off']);
  const pages = index / PAGE;
  const logged = without.bytes / INSERTED;
  return {
    costs: {
      ...{ row: table / FILLED, index: index / FILLED, perPage: FILLED / pages, logged },
      page: (bytes - without.bytes) / Math.max(1, whole),
    },
    pages: whole,
    expected: pagesChanged(pages, INSERTED),
  };
}
