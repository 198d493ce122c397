/**
 * The tables of a store on PostgreSQL, in a schema of their own, and the steps that lead to them.
 *
 * What grows has `shard` first in every key, so that the tables distribute by it as they are (docs/deploy/postgres/citus.sql):
 *
 * - `batch_id`: the shard is the first byte of the id's hash. A flush inserts the ids of its batches, and what the key already holds is a
 *   replay. A partition holds the ids of one day. It is created with the day's first batch, dropped when the day is closed, and never
 *   created again, so nothing of a closed day can be counted.
 * - All other tables: the shard is a hash of the app and the metric (`shardOf`). A read of a metric and the fold of its deltas stay within
 *   one shard, and a metric has one row a day, segment and block of cohorts, however many shards there are.
 *
 * `delta` is only ever appended to and deleted from. A flush appends one row for each metric and day that its batches touch: its sums, packed,
 * and a head that says what they are of (`fold.ts`). (Measured, 1,000 batches a flush with 1,280 tallies: docs/postgres.md.) A fold adds the deltas of a shard
 * to its tallies in one transaction, under the lock of the shard's row in `shard`; so two collectors never update the same tally at once,
 * and neither waits for the other.
 *
 * A tally row holds up to 64 cohorts (`packed.ts`). Texts compare by bytes, because the order of a locale changes with the system's
 * libraries, which breaks indexes.
 *
 * Keys, tokens, published schemas, annotations and the log of actions are in the tables `admin_*`, which have few rows (`replica.ts`).
 *
 * Estimates for tools that read SQL are in `estimate`, and what is told of each metric is in `estimated`, with the claim of the collector that
 * computes it (`views/claims.ts`). Readers get the views `bi_estimates` and `bi_metrics`, and nothing else.
 *
 * `release_entry` is the ledger of releases, and `release_place` says where it was written last (`release-ledger.ts`).
 * `release_secret` has what must not be known of open streams (`release/streams/streams.ts`).
 *
 * `decoded` has decodes of the last minutes, and the claims of collectors that decode (`answers/shared-decodes.ts`).
 *
 * `epoch` in `metric` changes when tallies change in another way than by growing. With the number of reports it tells readers whether what
 * they keep is still true.
 */

import { InternalFault } from '../../base/fault.ts';

/** The schema of the tables. It is part of every name, so that no `search_path` matters. */
export const SCHEMA = 'murmuration';

/** The number of shards. It is part of what is stored, so it never changes. */
export const SHARDS = 256;

/** The version of tables that `murmuration migrate` has not filled to the end. */
export const FILLING = -1;

const GROWING = 'autovacuum_vacuum_scale_factor = 0.02';
/** A queue: nearly all of its rows are dead. */
const QUEUE = 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000';

/** The steps, in order. Deployed databases have had some of them, so steps are only appended and never changed. */
export const STEPS: readonly string[] = [
  `
  CREATE TABLE murmuration.store (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL,
    closed integer NOT NULL DEFAULT 0,
    rolled integer NOT NULL DEFAULT 0,
    kept integer NOT NULL DEFAULT 0,
    epoch bigint NOT NULL DEFAULT 1,
    admin bigint NOT NULL DEFAULT 1
  );
  INSERT INTO murmuration.store (version) VALUES (0);
  CREATE TABLE murmuration.shard (shard smallint PRIMARY KEY);
  INSERT INTO murmuration.shard SELECT generate_series(0, ${SHARDS - 1});
  CREATE TABLE murmuration.batch_id (
    shard smallint NOT NULL, day integer NOT NULL, id uuid NOT NULL, body bigint NOT NULL,
    PRIMARY KEY (shard, day, id)
  ) PARTITION BY LIST (day);
  CREATE TABLE murmuration.delta (
    shard smallint NOT NULL, flush uuid NOT NULL, head text NOT NULL, sums bytea NOT NULL,
    PRIMARY KEY (shard, flush)
  ) WITH (${QUEUE}, toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000);
  ALTER TABLE murmuration.delta ALTER COLUMN sums SET STORAGE EXTERNAL;
  CREATE TABLE murmuration.tally (
    shard smallint NOT NULL, metric text COLLATE "C" NOT NULL, schema text COLLATE "C" NOT NULL, day integer NOT NULL,
    segment text COLLATE "C" NOT NULL, block integer NOT NULL, reports bigint NOT NULL, cells bytea NOT NULL,
    PRIMARY KEY (shard, metric, schema, day, segment, block)
  ) WITH (${GROWING});
  ALTER TABLE murmuration.tally ALTER COLUMN cells SET STORAGE EXTERNAL;
  CREATE TABLE murmuration.monthly (LIKE murmuration.tally INCLUDING ALL);
  CREATE TABLE murmuration.metric (
    shard smallint NOT NULL, metric text COLLATE "C" NOT NULL, schema text COLLATE "C" NOT NULL,
    reports bigint NOT NULL, first integer, last integer, epoch bigint NOT NULL,
    PRIMARY KEY (shard, metric, schema)
  ) WITH (fillfactor = 50);
  CREATE TABLE murmuration.total (
    shard smallint NOT NULL, metric text COLLATE "C" NOT NULL, schema text COLLATE "C" NOT NULL, day integer NOT NULL,
    reports bigint NOT NULL,
    PRIMARY KEY (shard, metric, schema, day)
  ) WITH (fillfactor = 80);
  CREATE TABLE murmuration.ones (
    shard smallint NOT NULL, metric text COLLATE "C" NOT NULL, schema text COLLATE "C" NOT NULL, day integer NOT NULL,
    ones integer NOT NULL, reports bigint NOT NULL,
    PRIMARY KEY (shard, metric, schema, day, ones)
  ) WITH (fillfactor = 80);
  CREATE TABLE murmuration.room (
    shard smallint NOT NULL, app text COLLATE "C" NOT NULL, day integer NOT NULL, rows bigint NOT NULL, bytes bigint NOT NULL,
    PRIMARY KEY (shard, app, day)
  ) WITH (fillfactor = 50);
  CREATE TABLE murmuration.app_ids (
    shard smallint NOT NULL, app text COLLATE "C" NOT NULL, day integer NOT NULL, ids bigint NOT NULL,
    PRIMARY KEY (shard, app, day)
  ) WITH (fillfactor = 50);
  CREATE TABLE murmuration.admin_credential (
    name text PRIMARY KEY, role text NOT NULL, apps text NOT NULL, per_minute double precision,
    key text UNIQUE, hash bytea UNIQUE, created integer NOT NULL, revoked integer
  );
  CREATE TABLE murmuration.admin_action (n integer PRIMARY KEY, at text NOT NULL, who text NOT NULL, what text NOT NULL, app text);
  CREATE FUNCTION murmuration.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the log of actions is append-only'; END $$;
  CREATE TRIGGER action_is_final BEFORE UPDATE OR DELETE ON murmuration.admin_action
    FOR EACH ROW EXECUTE FUNCTION murmuration.refuse();
  CREATE TRIGGER action_stays BEFORE TRUNCATE ON murmuration.admin_action EXECUTE FUNCTION murmuration.refuse();
  CREATE TABLE murmuration.admin_schema (schema text PRIMARY KEY, document text, published integer, retired integer);
  CREATE TABLE murmuration.admin_user (name text PRIMARY KEY, role text NOT NULL, apps text NOT NULL);
  `,
  `
  CREATE TABLE murmuration.estimated (
    shard smallint NOT NULL, app text NOT NULL, metric text NOT NULL,
    version bigint, type text, mechanism text, epsilon double precision, description text, minimum bigint,
    reports bigint, first_day date, last_day date, outcome text, watch double precision, computed timestamptz,
    source text NOT NULL DEFAULT '', seen timestamptz NOT NULL DEFAULT now(), due timestamptz NOT NULL DEFAULT now(),
    claim uuid, claimed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (shard, app, metric)
  ) WITH (fillfactor = 50);
  CREATE TABLE murmuration.estimate (
    shard smallint NOT NULL, app text NOT NULL, metric text NOT NULL, span text NOT NULL, first_day date NOT NULL, position integer NOT NULL,
    last_day date NOT NULL, answer text NOT NULL, unit text NOT NULL, estimate double precision NOT NULL, standard_error double precision,
    low double precision NOT NULL, high double precision NOT NULL, reports bigint NOT NULL,
    PRIMARY KEY (shard, app, metric, span, first_day, position),
    FOREIGN KEY (shard, app, metric) REFERENCES murmuration.estimated ON DELETE CASCADE
  ) WITH (${GROWING});
  CREATE VIEW murmuration.bi_metrics AS
    SELECT app, metric, version, type, mechanism, epsilon, description, minimum, reports, first_day, last_day, outcome, watch, computed
      FROM murmuration.estimated WHERE computed IS NOT NULL;
  CREATE VIEW murmuration.bi_estimates AS
    SELECT app, metric, span, first_day, last_day, position, answer, unit, estimate, standard_error, low, high, reports
      FROM murmuration.estimate;
  `,
  `
  CREATE TABLE murmuration.release_entry (
    n bigint PRIMARY KEY, at text NOT NULL, who text NOT NULL, kind text NOT NULL, app text NOT NULL, analyst text NOT NULL,
    question text NOT NULL, body text NOT NULL, hash text NOT NULL
  );
  CREATE INDEX release_question ON murmuration.release_entry (question, app, analyst);
  CREATE INDEX release_kind ON murmuration.release_entry (kind, app);
  CREATE FUNCTION murmuration.refuse_release() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
  CREATE TRIGGER release_is_final BEFORE UPDATE OR DELETE ON murmuration.release_entry
    FOR EACH ROW EXECUTE FUNCTION murmuration.refuse_release();
  CREATE TRIGGER release_stays BEFORE TRUNCATE ON murmuration.release_entry EXECUTE FUNCTION murmuration.refuse_release();
  CREATE TABLE murmuration.release_place (one boolean PRIMARY KEY DEFAULT true CHECK (one), place text);
  INSERT INTO murmuration.release_place DEFAULT VALUES;
  `,
  'CREATE TABLE murmuration.release_secret (stream bigint PRIMARY KEY, secret text NOT NULL)',
  // Answers of a stream are found and counted by what their question begins with. Streams that name theirs otherwise go on no more.
  `
  DROP INDEX murmuration.release_question;
  ALTER TABLE murmuration.release_entry ALTER COLUMN question TYPE text COLLATE "C";
  CREATE INDEX release_question ON murmuration.release_entry (question, app, analyst, kind);
  DELETE FROM murmuration.release_secret;
  `,
  `
  CREATE TABLE murmuration.decoded (
    task text COLLATE "C" NOT NULL, source text COLLATE "C" NOT NULL, claim uuid NOT NULL,
    begun timestamptz NOT NULL, held timestamptz NOT NULL, progress text, answer bytea,
    PRIMARY KEY (task, source)
  );
  ALTER TABLE murmuration.decoded ALTER COLUMN answer SET STORAGE EXTERNAL;
  `,
  // The id of a flush had its time to the millisecond, and all rows of the flush had it.
  `
  ALTER TABLE murmuration.delta RENAME COLUMN flush TO id;
  ALTER TABLE murmuration.delta ALTER COLUMN id SET DEFAULT gen_random_uuid();
  UPDATE murmuration.delta SET id = DEFAULT;
  `,
  `
  CREATE TABLE murmuration.admin_annotation (
    n integer PRIMARY KEY, app text NOT NULL, metric text, day integer NOT NULL, text text NOT NULL
  );
  `,
  `
  CREATE TABLE murmuration.admin_schema_log (n integer PRIMARY KEY, entry text NOT NULL, fingerprint text UNIQUE, document text);
  CREATE FUNCTION murmuration.refuse_schema_log() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the log of schemas is append-only'; END $$;
  CREATE TRIGGER schema_log_is_final BEFORE UPDATE OR DELETE ON murmuration.admin_schema_log
    FOR EACH ROW EXECUTE FUNCTION murmuration.refuse_schema_log();
  CREATE TRIGGER schema_log_stays BEFORE TRUNCATE ON murmuration.admin_schema_log EXECUTE FUNCTION murmuration.refuse_schema_log();
  CREATE TABLE murmuration.admin_log_key (name text PRIMARY KEY, secret text NOT NULL);
  CREATE TRIGGER log_key_is_final BEFORE UPDATE OR DELETE ON murmuration.admin_log_key
    FOR EACH ROW EXECUTE FUNCTION murmuration.refuse_schema_log();
  CREATE TRIGGER log_key_stays BEFORE TRUNCATE ON murmuration.admin_log_key EXECUTE FUNCTION murmuration.refuse_schema_log();
  `,
];

/** The shard of what belongs to a metric: FNV-1a of its app and its name, reduced to a byte. */
export function shardOf(schema: string, metric: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${schema.slice(0, schema.indexOf('/'))}\n${metric}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & (SHARDS - 1);
}

// The version of the tables. Whatever reads or writes them checks that it is the one that this program knows, in the same transaction.

/** The tables are of another version than this program: a newer collector has migrated them. */
export class OtherVersion extends InternalFault {}

/** @throws {OtherVersion} unless this is the version that this program knows */
export function checkVersion(found: unknown): void {
  if (Number(found) !== STEPS.length) throw new OtherVersion(`expected tables of version ${STEPS.length}, got version ${found}`);
}
