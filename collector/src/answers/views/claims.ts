/**
 * The tables of estimates (storage/postgres/tables.ts). A metric is claimed by one collector at a time: for a minute, which it prolongs while it
 * computes, so that another one takes over from a collector that is gone. Only the database's clock counts.
 */

import type { Database, Query } from '../../storage/postgres/database.ts';
import { leaseOn, newClaim } from '../../storage/postgres/lease.ts';
import { SCHEMA, shardOf } from '../../storage/postgres/tables.ts';
import type { About as AboutEstimates } from '../estimates.ts';
import { type Estimated, type EstimateRow, storable } from './rows.ts';

const lease = leaseOn({ key: ['shard', 'app', 'metric'], until: 'claimed', seconds: 60 });

/** How long a metric stays that no collector has published any more. */
const KEPT = "interval '1 day'";

/** Description of a metric for readers. */
export interface About extends Omit<AboutEstimates, 'reports' | 'from' | 'to'> {
  readonly description: string;
}

/** A metric that this collector has claimed. */
export interface Claim {
  readonly id: string;
  readonly about: About;
}

const keyOf = ({ app, metric }: Pick<About, 'app' | 'metric'>): readonly [number, string, string] => [
  shardOf(`${app}/`, metric),
  app,
  metric,
];
const ofClaim = ({ about, id }: Claim): readonly unknown[] => [...keyOf(about), id];

/** Marks these metrics as published, and deletes those that no collector has marked for a day. */
export const mark = (database: Database, metrics: readonly About[]): Promise<void> =>
  database.transaction(async (query) => {
    const keys = metrics.map(keyOf);
    await query(
      `INSERT INTO ${SCHEMA}.estimated (shard, app, metric) SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[])
        ON CONFLICT (shard, app, metric) DO UPDATE SET seen = now()`,
      [0, 1, 2].map((column) => keys.map((key) => key[column])),
    );
    await query(`DELETE FROM ${SCHEMA}.estimated WHERE seen < now() - ${KEPT}`);
  });

/** Source of the rows of each metric that is due and that nobody has claimed. By app and metric. */
export const readDue = (database: Database): Promise<ReadonlyMap<string, string>> =>
  database.transaction(async (query) => {
    const rows = await query(`SELECT app, metric, source FROM ${SCHEMA}.estimated WHERE due <= now() AND ${lease.isFree}`);
    return new Map(rows.map(([app, metric, source]) => [`${app}/${metric}`, String(source)]));
  });

/** Claims a metric, unless another collector has it, or its rows were computed from this source. */
export const claim = (database: Database, about: About, source: string): Promise<Claim | undefined> =>
  database.transaction(async (query) => {
    const id = newClaim();
    const free = await query(
      `SELECT 1 FROM ${SCHEMA}.estimated WHERE ${lease.ofKey} AND source <> $4 AND due <= now() AND ${lease.isFree} FOR UPDATE SKIP LOCKED`,
      [...keyOf(about), source],
    );
    if (free.length === 0) return undefined;
    await query(`UPDATE ${SCHEMA}.estimated SET claim = $4, claimed = ${lease.end} WHERE ${lease.ofKey}`, [...keyOf(about), id]);
    return { id, about };
  });

/** Prolongs a claim. */
export const prolong = (database: Database, claimed: Claim): Promise<unknown> =>
  database.transaction((query) => query(`UPDATE ${SCHEMA}.estimated SET claimed = ${lease.end} WHERE ${lease.ofClaim}`, ofClaim(claimed)));

/** Gives a claim back without rows. The metric's time comes again after so many seconds. */
export const giveBack = (database: Database, claimed: Claim, seconds: number): Promise<unknown> =>
  database.transaction((query) =>
    query(`UPDATE ${SCHEMA}.estimated SET claimed = now(), due = now() + $5 * interval '1 second' WHERE ${lease.ofClaim}`, [
      ...ofClaim(claimed),
      seconds,
    ]),
  );

/** The columns of a row that change, in the order of the table. */
const VALUES = ['last_day', 'answer', 'unit', 'estimate', 'standard_error', 'low', 'high', 'reports'] as const;

/** Writes the rows that are new or differ, and deletes those that are gone. */
async function writeRows(query: Query, key: readonly unknown[], rows: readonly EstimateRow[]): Promise<void> {
  const keys = [rows.map(({ span }) => span), rows.map(({ from }) => from), rows.map(({ position }) => position)];
  await query(
    `DELETE FROM ${SCHEMA}.estimate AS old WHERE ${lease.ofKey} AND NOT EXISTS (
      SELECT 1 FROM unnest($4::text[], $5::date[], $6::integer[]) AS fresh (span, first_day, position)
        WHERE (fresh.span, fresh.first_day, fresh.position) = (old.span, old.first_day, old.position))`,
    [...key, ...keys],
  );
  await query(
    `INSERT INTO ${SCHEMA}.estimate AS old (shard, app, metric, span, first_day, position, ${VALUES})
      SELECT $1, $2, $3, fresh.* FROM unnest($4::text[], $5::date[], $6::integer[], $7::date[], $8::text[], $9::text[],
        $10::double precision[], $11::double precision[], $12::double precision[], $13::double precision[], $14::bigint[]) AS fresh
      ON CONFLICT (shard, app, metric, span, first_day, position) DO UPDATE
        SET ${VALUES.map((name) => `${name} = excluded.${name}`)}
        WHERE (${VALUES.map((name) => `old.${name}`)}) IS DISTINCT FROM (${VALUES.map((name) => `excluded.${name}`)})`,
    [
      ...key,
      ...keys,
      rows.map(({ to }) => to),
      rows.map(({ answer }) => answer),
      rows.map(({ unit }) => unit),
      rows.map(({ estimate }) => estimate),
      rows.map(({ standardError }) => standardError),
      rows.map(({ low }) => low),
      rows.map(({ high }) => high),
      rows.map(({ reports }) => reports),
    ],
  );
}

/**
 * Writes what was computed from a source, in one transaction, and gives the claim back. Resolves to false when the claim is no longer held;
 * nothing is written then.
 */
export const write = (
  database: Database,
  claimed: Claim,
  source: string,
  { columns, rows }: Estimated,
  seconds: number,
): Promise<boolean> =>
  database.transaction(async (query) => {
    const { version, type, mechanism, epsilon, description, minimum } = claimed.about;
    const held = await query(
      `UPDATE ${SCHEMA}.estimated SET source = $5, version = $6, type = $7, mechanism = $8, epsilon = $9, description = $10, minimum = $11,
          reports = $12, first_day = $13, last_day = $14, outcome = $15, watch = $16,
          computed = now(), claimed = now(), due = now() + $17 * interval '1 second'
        WHERE ${lease.ofClaim} AND ${lease.isHeld} RETURNING 1`,
      [
        ...ofClaim(claimed),
        source,
        ...[version, type, mechanism, epsilon, storable(description), minimum],
        ...[columns.reports, columns.from, columns.to, columns.outcome, columns.watch, seconds],
      ],
    );
    if (held.length === 0) return false;
    await writeRows(query, keyOf(claimed.about), rows);
    return true;
  });
