/** Opens releases for a command: the ledger and the tallies of a folder, or those in the database that collectors share. */

import { Failure, UsageError } from '../base/usage.ts';
import { OverBudget } from '../release/budget/limits.ts';
import { StreamOver } from '../release/streams/ask.ts';
import { UnfitDatabase } from '../storage/postgres/errors.ts';
import { InDoubt, type Ledger } from '../storage/release-ledger.ts';
import { type AdminPlace, backendOf } from './admin.ts';

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
    const ledger = await backendOf(place).openExistingLedger();
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    throw inOneLine(error);
  }
}
