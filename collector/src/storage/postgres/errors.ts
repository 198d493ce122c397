/** Meaning of an error of the database or of the connection to it. No message of ours holds the URL, which may have a password in it. */

import { InternalFault, StoreAway, StoreFull, UsageError } from '../../base/fault.ts';

/** A database that can't hold the store as it is: wrong address, wrong version, missing rights. Somebody has to change something. */
export class UnfitDatabase extends UsageError {}

/** A connection could not be made: no server, a wrong certificate, a name that nobody knows. */
export class NoConnection extends InternalFault {}

/** A transaction that may succeed when it is tried again at once. */
export class TryAgain extends InternalFault {}

/** The database answers, and takes no batch until somebody changes something. */
export class TakesNone extends StoreAway {}

/** No further connection could be made, but there are some. */
export class Crowded extends InternalFault {
  readonly connections: number;

  constructor(connections: number) {
    super(`there are ${connections} connections, and no more can be made`);
    this.connections = connections;
  }
}

/** @param isReadOnly the setting `transaction_read_only` @throws {UnfitDatabase} */
export function checkWritable(isReadOnly: unknown): void {
  if (isReadOnly === 'on') throw new UnfitDatabase('expected a database that takes writes, got one with default_transaction_read_only on');
}

/** SQLSTATE classes and codes of a database that is not there, or is not the one that takes writes. */
const GONE = [
  '08', // connection exceptions
  '57P', // the server stops, starts or has crashed
  '53300', // too many connections
  '25006', // read-only: a standby, until it is promoted
  '28', // this role may not connect, for now
  '3D000', // this database is not there, for now
  '25P03', // this connection was idle in a transaction for too long, and is closed
];
/** The same for one that is too busy with something else: a statement or a lock took too long. */
const BUSY = ['57014', '55P03'];
/** The third: an `ON CONFLICT` that has met the new index of `REINDEX CONCURRENTLY`, which it does not look at first. */
const AGAIN = ['40001', '40P01', '23505'];
const FULL = '53100';
/**
 * The classes of one that takes no batch, whatever is in it, until somebody changes something: a right, a table, a partition, a resource, a
 * file.
 */
const REFUSES = ['23514', '42', '53', '55', '58', 'XX'];

const stateOf = (error: unknown): string => {
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : '';
};

/**
 * True if an error comes from the connection and not from the database: a socket's, or one of the driver's, which have no codes and are of no
 * class of their own. Those of this program are, so their words say nothing about the connection.
 */
const isOfConnection = (error: unknown): boolean => {
  const { syscall, message = '' } = error as NodeJS.ErrnoException;
  const isPlain = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
  return syscall !== undefined || (isPlain && /connection|timeout|not queryable|terminated/i.test(message));
};

/** True if an error leaves open what a COMMIT has done: the connection broke while it was in use, or the server stopped. */
export const isCutOff = (error: unknown): boolean =>
  isOfConnection(error) || ['08', '57P01', '57P02'].some((code) => stateOf(error).startsWith(code));

/** True if an error says that the connection is of no more use. */
export function isGone(error: unknown): boolean {
  // Unfit: the connection leads to another server than the last one.
  if (error instanceof NoConnection || error instanceof UnfitDatabase) return true;
  const state = stateOf(error);
  return GONE.some((code) => state.startsWith(code)) || isOfConnection(error);
}

/** The error that an error means to those who use the store. */
export function meaningOf(error: unknown): unknown {
  const state = stateOf(error);
  const message = lineOf(error);
  if (state === FULL) return new StoreFull(message);
  if (AGAIN.includes(state)) return new TryAgain(message);
  return isGone(error) || BUSY.includes(state) ? new StoreAway(message) : error;
}

/** True if an error of the database says that it takes no batch now. */
export const isRefusal = (error: unknown): boolean => REFUSES.some((code) => stateOf(error).startsWith(code));

/** The SQLSTATE of an error of the database, or ''. */
export const sqlState: (error: unknown) => string = stateOf;

/** The first line of an error's message. Where a name has several addresses, each fails with an error of its own. */
export function lineOf(error: unknown): string {
  const { errors, message, code } = error as AggregateError & { readonly code?: string };
  const [first] = errors ?? [];
  return ((first as Error | undefined)?.message ?? (message || (code ?? 'no reason'))).split('\n')[0] as string;
}
