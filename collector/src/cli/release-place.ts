/** Opens releases for a command: the ledger and the tallies of a folder, or those in the database that collectors share. */

import { Failure, UsageError } from '../base/usage.ts';
import { OverBudget } from '../release/budget/limits.ts';
import { StreamOver } from '../release/streams/ask.ts';
import { ADMIN, hasAdmin } from '../storage/admin/database.ts';
import { UnfitDatabase } from '../storage/postgres/errors.ts';
import { checkStored } from '../storage/postgres/opening.ts';
import { openPostgresLedger } from '../storage/postgres/release-ledger.ts';
import { InDoubt, type Ledger } from '../storage/release-ledger.ts';
import { checkNotMoved } from '../storage/sqlite/moved.ts';
import { openSqliteLedger } from '../storage/sqlite/release-ledger.ts';
import type { AdminPlace } from './admin.ts';

async function open({ data, postgres }: AdminPlace): Promise<Ledger> {
  if (postgres !== undefined) {
    await checkStored({ postgres });
    return openPostgresLedger({ postgres });
  }
  if (!hasAdmin(data))
    throw new UsageError(`--data ${data}: expected a folder that serve, keys create or schemas publish has used, got one without ${ADMIN}`);
  checkNotMoved(data);
  return openSqliteLedger(data);
}

/** Invalid input is wrong usage; what a budget or a restored ledger refuses is a failure. Each is one line. */
function inOneLine(error: unknown): Error {
  const { message } = error as Error;
  if (error instanceof InDoubt)
    return new Failure(`expected a ledger that is whole, got ${message}; see docs/release.md, then: murmuration release override --reason`);
  if (error instanceof OverBudget || error instanceof StreamOver) return new Failure(message);
  const isInput = error instanceof RangeError || error instanceof UnfitDatabase || error instanceof UsageError;
  return isInput ? new UsageError(message) : new Failure(message);
}

/** Works with the ledger, and closes it. @throws {UsageError | Failure} */
export async function withLedger<T>(place: AdminPlace, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  try {
    const ledger = await open(place);
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    throw inOneLine(error);
  }
}
