/** The ids of batches on their way from an embedded store to PostgreSQL: the same hashes, so that a retry is recognized there, too. */

import { createHash } from 'node:crypto';
import type { Query } from '../postgres/database.ts';
import { SCHEMA } from '../postgres/tables.ts';
import { ID_WORDS } from '../sqlite/id-set.ts';
import { WORDS } from '../sqlite/ids.ts';
import type { Source } from './source.ts';

/** Bytes of a stored id: its hash, 64 bits of the body's hash, the day. */
const BYTES = 4 * WORDS;
const BODY = 4 * ID_WORDS;
const DAY = BYTES - 4;

/** Rows of a store that one transaction copies, each with at most a thousand ids. */
const ROWS = 20;

/** Ids as lists that the database reads. */
export interface IdLists {
  readonly count: number;
  readonly days: ReadonlySet<number>;
  readonly lists: readonly [shards: string, days: string, ids: string, bodies: string];
}

/** Some of the ids, and where the next are. */
export interface IdPart extends IdLists {
  readonly first: number;
  /** A checksum of the last row: a store whose ids have all expired numbers them from 1 again. */
  readonly checksum: string;
}

const checksumOf = (words: Uint8Array): string => createHash('sha256').update(words).digest('hex');

/** The ids in rows of words, without those of closed days. */
function listsOf(rows: readonly Uint8Array[], closed: number): IdLists {
  const [shards, days, ids, bodies]: [number[], number[], string[], string[]] = [[], [], [], []];
  for (const row of rows) {
    const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
    for (let at = 0; at < bytes.length; at += BYTES) {
      const day = bytes.readInt32LE(at + DAY);
      if (day < closed) continue;
      shards.push(bytes[at] as number);
      days.push(day);
      ids.push(bytes.toString('hex', at, at + BODY));
      bodies.push(bytes.readBigInt64BE(at + BODY).toString());
    }
  }
  const list = (values: readonly (string | number)[]): string => `{${values.join()}}`;
  return { count: ids.length, days: new Set(days), lists: [list(shards), list(days), list(ids), list(bodies)] };
}

/** The ids after a row, or from the first one on where the store no longer has that row. Undefined when there are none. */
export function nextIds(source: Source, after: Pick<IdPart, 'first' | 'checksum'> | undefined, closed: number): IdPart | undefined {
  const [row] = after === undefined ? [] : source.idRows(after.first, 1);
  const isThere = after !== undefined && row?.first === after.first && checksumOf(row.words) === after.checksum;
  const rows = source.idRows(isThere ? after.first + 1 : 0, ROWS);
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const words = rows.map((each) => each.words);
  return { ...listsOf(words, closed), first: last.first, checksum: checksumOf(last.words) };
}

/** Inserts ids. Those that a former run has inserted stay as they are. */
export const insertIds = (query: Query, { lists }: IdLists): Promise<unknown> =>
  query(
    `INSERT INTO ${SCHEMA}.batch_id (shard, day, id, body)
      SELECT * FROM unnest($1::smallint[], $2::integer[], $3::uuid[], $4::bigint[])
        ON CONFLICT (shard, day, id) DO NOTHING`,
    lists,
  );

/** What is compared of the ids of a day: how many there are, and all of their bodies and ids, each 64 and 32 bits, in one XOR. */
type DaySum = string;

/** The open days of a store with the sums of their ids. */
export function sumsIn(source: Source, closed: number): ReadonlyMap<number, DaySum> {
  const days = new Map<number, { count: number; readonly body: Int32Array; id: number }>();
  for (let from = 0, isMore = true; isMore; ) {
    const rows = source.idRows(from, ROWS);
    isMore = rows.length > 0;
    from = (rows.at(-1)?.first ?? 0) + 1;
    for (const { words: blob } of rows) {
      const words = new Int32Array(blob.slice().buffer);
      for (let at = 0; at < words.length; at += WORDS) {
        const day = words[at + WORDS - 1] as number;
        if (day < closed) continue;
        const sum = days.get(day) ?? { count: 0, body: new Int32Array(2), id: 0 };
        days.set(day, sum);
        sum.count++;
        sum.id ^= words[at] as number;
        for (const i of [0, 1]) sum.body[i] = (sum.body[i] as number) ^ (words[at + ID_WORDS + i] as number);
      }
    }
  }
  const textOf = ({ count, body, id }: { count: number; readonly body: Int32Array; id: number }): DaySum => {
    const bytes = Buffer.from(body.buffer);
    return `${count} ${bytes.readBigInt64BE()} ${Buffer.from(Int32Array.of(id).buffer).readInt32BE()}`;
  };
  return new Map([...days].map(([day, sum]) => [day, textOf(sum)]));
}

/** The same of a day in the database. */
export async function sumOf(query: Query, day: number): Promise<DaySum> {
  const [row = []] = await query(
    `SELECT count(*), bit_xor(body), bit_xor(('x' || left(id::text, 8))::bit(32)::integer) FROM ${SCHEMA}.batch_id WHERE day = $1`,
    [day],
  );
  return row.map((value) => value ?? 0).join(' ');
}
