/**
 * Faults: the errors that the collector's own code throws, each of a kind. Handlers go by the kind: requests in
 * ingest/refuse.ts, commands in cli/cli.ts. Errors of arguments stay a `RangeError` or a `TypeError`, as everywhere in JavaScript.
 */

/**
 * `usage`: input or a place that can't be used until somebody changes it. `failure`: one sentence explains it completely. `full`: no room on
 * the disk. `away`: a database that does not answer. `over-budget`, `in-doubt`, `over`: what a budget, a restored ledger and an ended stream
 * refuse. `refused`: a request. `internal`: caught by those who know it.
 */
export type FaultKind = 'usage' | 'failure' | 'full' | 'away' | 'over-budget' | 'in-doubt' | 'over' | 'refused' | 'internal';

/** An error of a kind. */
export class Fault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** The kind of an error; undefined for one that is no fault. */
export const kindOf = (error: unknown): FaultKind | undefined => (error instanceof Fault ? error.kind : undefined);

/** A fault that only those who cause it know. */
export class InternalFault extends Fault {
  constructor(message: string, options?: ErrorOptions) {
    super('internal', message, options);
  }
}

/** Input that can't be used. A command ends with exit code 2. */
export class UsageError extends Fault {
  constructor(message: string, options?: ErrorOptions) {
    super('usage', message, options);
  }
}

/** A failure of a command that one sentence explains completely. */
export class Failure extends Fault {
  constructor(message: string) {
    super('failure', message);
  }
}

/** A store rejects with it when the disk is full. The batch may be sent again. */
export class StoreFull extends Fault {
  constructor(message: string) {
    super('full', message);
  }
}

/** A store rejects with it while its database does not answer. The batch may be counted or not, and may be sent again. */
export class StoreAway extends Fault {
  constructor(message: string) {
    super('away', message);
  }
}

/** The fault that an error is for a command: invalid input is wrong usage, and any other error a failure. Each is one line. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const message = (error as Error).message.split('\n').join(' ');
  return error instanceof RangeError ? new UsageError(message) : new Failure(message);
}

/** Does something for a command. @throws {Fault} whatever goes wrong, in one line */
export async function inOneLine<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Rejects with wrong usage where the input is invalid, and with other errors as they are. */
export function asUsage(error: unknown): never {
  throw error instanceof RangeError ? new UsageError(error.message) : error;
}
