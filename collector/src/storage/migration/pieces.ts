/** Writes pieces of an embedded store to the tables of PostgreSQL, and what there is of them to `move_piece`. */

import { createHash } from 'node:crypto';
import type { Query } from '../postgres/database.ts';
import { SCHEMA, shardOf } from '../postgres/tables.ts';
import { appOf } from '../quota.ts';
import { ID_WORDS, WORDS } from '../sqlite/ids.ts';
import type { Content, Piece, Source } from './source.ts';

// The ids of batches on their way from an embedded store to PostgreSQL: the same hashes, so that a retry is recognized there, too.

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

/** Sum of the ids of a day: how many there are, and all of their bodies and ids, each 64 and 32 bits, in one XOR. */
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

/** The columns of rows, each as a list. */
export const columns = (rows: readonly (readonly unknown[])[], width: number): readonly unknown[][] =>
  Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));

const keyOf = ({ schema, metric, day }: Pick<Piece, 'schema' | 'metric' | 'day'>): readonly [number, string, string, number] => [
  shardOf(schema, metric),
  metric,
  schema,
  day,
];

const KEYS = '$1::smallint[], $2::text[], $3::text[], $4::integer[]';

/** Deletes what a former run has copied of pieces. */
export async function deletePieces(query: Query, pieces: readonly Pick<Piece, 'kind' | 'schema' | 'metric' | 'day'>[]): Promise<void> {
  for (const [table, kind] of [
    ['tally', 'day'],
    ['total', 'day'],
    ['ones', 'day'],
    ['monthly', 'month'],
  ] as const) {
    const keys = columns(pieces.filter((piece) => piece.kind === kind).map(keyOf), 4);
    if (keys[0]?.length === 0) continue;
    await query(
      `DELETE FROM ${SCHEMA}.${table} AS t USING unnest(${KEYS}) AS piece (shard, metric, schema, day)
        WHERE t.shard = piece.shard AND t.metric = piece.metric AND t.schema = piece.schema AND t.day = piece.day`,
      keys,
    );
  }
  await query(
    `DELETE FROM ${SCHEMA}.move_piece AS t USING unnest($1::text[], $2::text[], $3::text[], $4::integer[]) AS piece (kind, metric, schema, day)
      WHERE t.kind = piece.kind AND t.metric = piece.metric AND t.schema = piece.schema AND t.day = piece.day`,
    columns(
      pieces.map(({ kind, metric, schema, day }) => [kind, metric, schema, day]),
      4,
    ),
  );
}

/** Inserts pieces that are not there. */
export async function insertPieces(query: Query, pieces: readonly Content[]): Promise<void> {
  for (const [table, kind] of [
    ['tally', 'day'],
    ['monthly', 'month'],
  ] as const) {
    const of = pieces.filter((piece) => piece.kind === kind);
    const blocks = of.flatMap((piece) => piece.blocks.map((block) => ({ key: keyOf(piece), ...block })));
    let place = 1;
    const rows = blocks.map(({ key, segment, block, reports, bytes }) => {
      place += bytes.length;
      return [...key, segment, block, reports, place - bytes.length, bytes.length];
    });
    if (rows.length > 0)
      await query(
        `INSERT INTO ${SCHEMA}.${table} (shard, metric, schema, day, segment, block, reports, cells)
          SELECT shard, metric, schema, day, segment, block, reports, substring($10::bytea FROM place FOR length)
            FROM unnest(${KEYS}, $5::text[], $6::integer[], $7::bigint[], $8::integer[], $9::integer[])
              AS rows (shard, metric, schema, day, segment, block, reports, place, length)`,
        [...columns(rows, 9), Buffer.concat(blocks.map(({ bytes }) => bytes))],
      );
  }
  const days = pieces.filter(({ kind }) => kind === 'day');
  const totals = days.map((piece) => [...keyOf(piece), piece.reports]);
  const ones = days.flatMap((piece) => piece.ones.map((counts) => [...keyOf(piece), ...counts]));
  await query(
    `INSERT INTO ${SCHEMA}.total (shard, metric, schema, day, reports) SELECT * FROM unnest(${KEYS}, $5::bigint[])`,
    columns(totals, 5),
  );
  await query(
    `INSERT INTO ${SCHEMA}.ones (shard, metric, schema, day, ones, reports) SELECT * FROM unnest(${KEYS}, $5::integer[], $6::bigint[])`,
    columns(ones, 6),
  );
  await query(
    `INSERT INTO ${SCHEMA}.move_piece (kind, metric, schema, day, reports, held, app, rows, bytes) SELECT * FROM unnest(
      $1::text[], $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[], $9::bigint[])`,
    columns(
      pieces.map(({ kind, metric, schema, day, reports, held, rows, bytes }) => [
        ...[kind, metric, schema, day, reports, held, appOf(schema), rows, bytes],
      ]),
      9,
    ),
  );
}
