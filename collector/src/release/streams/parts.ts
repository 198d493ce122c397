/** What streams are made of, and what is kept of each that nobody may see. */

import type { Ledger } from '../../storage/release-ledger.ts';
import type { Random } from '../mechanisms/random.ts';
import type { Participation, WantedRows } from '../table/participation.ts';
import type { SparseCounts } from './cells.ts';

/** What streams are made of. */
export interface StreamParts {
  readonly ledger: Ledger;
  /** Reads rows of a table. */
  readonly read: (wanted: WantedRows) => Promise<Participation>;
  readonly random: Random;
  /** Milliseconds for which another process that was charged for the same stream is waited for; PATIENCE by default. */
  readonly patience?: number;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
}

/** The secret of a stream: who knows the threshold can tell how near guesses are, and the counts are exact. */
export interface StreamSecret {
  readonly threshold: number;
  readonly counts: SparseCounts;
}

/** Runs what sees secrets. An error says nothing of its cause, which could name them. */
export function unnamed<T>(work: () => T): T {
  try {
    return work();
  } catch {
    throw new Error('the stream failed, and nothing was answered');
  }
}
