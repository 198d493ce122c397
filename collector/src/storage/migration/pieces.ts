/** Writes pieces of an embedded store to the tables of PostgreSQL, and what there is of them to `move_piece`. */

import type { Query } from '../postgres/database.ts';
import { SCHEMA, shardOf } from '../postgres/tables.ts';
import { appOf } from '../room.ts';
import type { Content, Piece } from './source.ts';

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
