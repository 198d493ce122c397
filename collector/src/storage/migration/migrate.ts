/**
 * Moves an embedded store to PostgreSQL: its tallies, ids, borders, keys, tokens, roles, schemas, actions and releases. A copy may be made ahead
 * while the collector runs, as often as one likes. The move itself needs the store alone, copies what has changed since, compares checksums of
 * both sides, and hands over. Exactly one of both can take batches at any time: first the folder is marked as moved, then the database as
 * whole. A move that is cut off goes on when it is started again.
 */

import { randomUUID } from 'node:crypto';
import { InternalFault } from '../../base/fault.ts';
import { COMMAND_LINE, hasAdmin, logAction, openAdminDatabase } from '../admin/database.ts';
import { lock } from '../files/durable.ts';
import { withoutPassword } from '../postgres/connection.ts';
import { isCutOff } from '../postgres/errors.ts';
import { replicaOf } from '../postgres/replica.ts';
import { copyOf, type LedgerCopy } from '../release-ledger.ts';
import { type Migration, markMigrated, markMigrating, readMigration, removeMigration, writeMigration } from '../sqlite/migration-mark.ts';
import { openSqliteLedger } from '../sqlite/release-ledger.ts';
import type { PostgresSource } from '../store.ts';
import { nextIds, sumOf, sumsIn } from './pieces.ts';
import { type Content, type Piece, Source } from './source.ts';
import { type Copied, type Mark, nameOf, prepareTarget, type Sum, sumOfSource, sumOfTarget, Target } from './target.ts';

/** Limits of one transaction: bytes of tallies, and pieces. */
const MOST_BYTES = 2 ** 22;
const MOST_PIECES = 500;

/** Both sides differ: nothing was handed over. */
class Differs extends InternalFault {}

/** Amounts that were copied. */
export interface Copy {
  readonly pieces: number;
  readonly ids: number;
}

/** A move that is over. */
export interface Migrated extends Copy {
  /** Sums of both sides. */
  readonly sums: readonly [folder: Sum, database: Sum];
  /** Ids of batches whose days are open. */
  readonly known: number;
  readonly credentials: number;
  readonly schemas: number;
  readonly actions: number;
}

/** A folder and a database. */
export interface Places {
  readonly folder: string;
  readonly postgres: PostgresSource;
  readonly isLossAllowed: boolean;
}

const isSame = (a: Piece | undefined, b: Piece): boolean => a?.reports === b.reports && a.held === b.held;

/** Copies the pieces that differ, and drops those that are gone. Returns how many were copied, and all that the database then has. */
async function copyPieces(
  source: Source,
  target: Target,
  known: ReadonlyMap<string, Copied>,
): Promise<{ readonly count: number; readonly copied: readonly Copied[] }> {
  const pieces = source.pieces();
  const names = new Set(pieces.map(nameOf));
  await target.dropPieces([...known.values()].filter((piece) => !names.has(nameOf(piece))));
  const copied = new Map([...known].filter(([name]) => names.has(name)));
  let [waiting, bytes, count]: [Content[], number, number] = [[], 0, 0];
  const write = async (): Promise<void> => {
    if (waiting.length > 0) await target.putPieces(waiting);
    for (const { blocks: _, ones: __, ...piece } of waiting) copied.set(nameOf(piece), piece);
    count += waiting.length;
    [waiting, bytes] = [[], 0];
  };
  for (const piece of pieces) {
    if (isSame(copied.get(nameOf(piece)), piece)) continue;
    const content = source.content(piece);
    waiting.push(content);
    bytes += content.bytes;
    if (bytes >= MOST_BYTES || waiting.length === MOST_PIECES) await write();
  }
  await write();
  return { count, copied: [...copied.values()] };
}

/** Copies what the database does not have yet. */
async function copyAll(source: Source, target: Target): Promise<Copy & { readonly copied: readonly Copied[] }> {
  const { borders } = source;
  const begun = await target.begin(borders);
  let ids = 0;
  for (let part = nextIds(source, begun.after, borders.closed); part !== undefined; part = nextIds(source, part, borders.closed)) {
    await target.putIds(part);
    ids += part.count;
  }
  const { count, copied } = await copyPieces(source, target, begun.pieces);
  return { pieces: count, ids, copied };
}

/** Compares the ids of both sides. Returns how many there are. @throws {Differs} */
async function compareIds(source: Source, target: Target): Promise<number> {
  let known = 0;
  for (const [day, sum] of sumsIn(source, source.borders.closed)) {
    const found = await target.database.transaction((query) => sumOf(query, day));
    if (found !== sum) throw new Differs(`ids of day ${day}: expected ${sum} (how many, XOR of bodies, of ids), got ${found}`);
    known += Number(sum.split(' ')[0]);
  }
  return known;
}

/** Compares the first days that both sides take and keep. @throws {Differs} */
async function compareBorders(source: Source, target: Target): Promise<void> {
  const [here, there] = [source.borders, await target.borders()];
  for (const name of ['closed', 'rolled', 'kept'] as const)
    if (here[name] !== there[name])
      throw new Differs(`days: expected ${name} ${here[name]} on both sides, got ${there[name]} in the database`);
}

/** The ledger of releases. The folder is marked, so nobody appends to it any more. */
async function releasesOf(folder: string): Promise<LedgerCopy> {
  if (!hasAdmin(folder)) return { entries: [], doubt: undefined, secrets: [] };
  const ledger = openSqliteLedger(folder);
  try {
    return await copyOf(ledger);
  } finally {
    await ledger.close();
  }
}

/**
 * Leaves the folder's ledger of releases behind: it knows nothing of what is charged from now on. Anyone who removes the mark of the move finds
 * a ledger in doubt, and streams without their secrets.
 */
async function leaveReleases(folder: string): Promise<void> {
  if (hasAdmin(folder)) {
    const ledger = openSqliteLedger(folder);
    try {
      await ledger.transact(({ secrets }) => secrets.drop());
    } finally {
      await ledger.close();
    }
  }
  markMigrated(folder);
}

/** Copies the administration and the ledger of releases, and hands over. */
async function handOver({ folder }: Places, target: Target, what: string): Promise<Pick<Migrated, 'credentials' | 'schemas' | 'actions'>> {
  const admin = hasAdmin(folder) ? openAdminDatabase(folder) : undefined;
  const replica = replicaOf(admin);
  admin?.close();
  try {
    logAction(replica, COMMAND_LINE, what);
    await target.finish(replica, await releasesOf(folder));
    const rows = (table: string): number => Number(replica.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
    return { credentials: rows('credential'), schemas: rows('schema'), actions: rows('action') };
  } finally {
    replica.close();
  }
}

/** Marks the folder and prepares the database. Calls back with both, unless the move is over already. */
async function withBoth<T>(places: Places, work: (source: Source, target: Target, move: Migration) => Promise<T>): Promise<T | undefined> {
  const { folder, postgres, isLossAllowed } = places;
  const source = new Source(folder);
  const former = readMigration(folder);
  const to = withoutPassword(postgres.postgres);
  let move: Migration = { id: former?.id ?? randomUUID(), to, isOver: former?.isOver ?? false };
  const mark: Mark = {
    isOver: move.isOver,
    id: () => {
      move = { ...move, id: readMigration(folder)?.id ?? move.id };
      return move.id;
    },
    begin: () => {
      // A former copy may be in another database. That one must not be taken for this one.
      if (former === undefined) return move.id;
      move = { ...move, id: randomUUID() };
      writeMigration(folder, move);
      return move.id;
    },
  };
  let target: Target | undefined;
  try {
    if (former === undefined) writeMigration(folder, move);
    const readiness = await prepareTarget(postgres, mark, isLossAllowed).catch((error: unknown) => {
      // The database may have the move's id, although its answer was lost: the next run goes on with it.
      const isOwn = former === undefined && readMigration(folder)?.id === move.id;
      if (isOwn && !isCutOff((error as Error).cause ?? error)) removeMigration(folder);
      throw error;
    });
    if (readiness === 'whole') return undefined;
    target = new Target(postgres, isLossAllowed);
    return await work(source, target, move);
  } finally {
    source.close();
    await target?.close();
  }
}

/**
 * Copies what there is, while a collector may be running. Resolves to undefined when the move is over already.
 *
 * @throws {RangeError} when there is no store
 * @throws {UnfitDatabase} when the database can't hold it, or has other data
 */
export const copyAhead = (places: Places): Promise<Copy | undefined> =>
  withBoth(places, async (source, target) => {
    const { pieces, ids } = await copyAll(source, target);
    return { pieces, ids };
  });

/**
 * Copies what there is, compares both sides, and hands over. Resolves to undefined when that was done before.
 *
 * @throws {RangeError} when there is no store, or a collector writes it
 * @throws {UnfitDatabase} when the database can't hold it, or has other data
 * @throws {Differs} when both sides differ
 */
export async function migrateStore(places: Places): Promise<Migrated | undefined> {
  const { folder } = places;
  new Source(folder).close(); // before the lock, which would create the folder's lock file
  const unlock = lock(folder);
  try {
    Source.fold(folder);
    const moved = await withBoth(places, async (source, target, move) => {
      const { copied, ...copy } = await copyAll(source, target);
      await target.putTotals(source.metrics(), source.appIds());
      const known = await compareIds(source, target);
      const sums = [sumOfSource(source), await sumOfTarget(target.database, copied)] as const;
      const [here, there] = sums.map((sum) => JSON.stringify(sum));
      if (here !== there) throw new Differs(`expected equal tallies on both sides, got ${here} in the folder and ${there} in the database`);
      await compareBorders(source, target);
      writeMigration(folder, { ...move, isOver: true });
      markMigrating(folder);
      const [{ tallies, checksum }] = sums;
      const handed = await handOver(places, target, `moved the store from ${folder}: ${tallies} tallies, checksum ${checksum}`);
      return { ...copy, sums, known, ...handed };
    });
    await leaveReleases(folder); // also where the last run ended before this
    return moved;
  } finally {
    unlock();
  }
}
