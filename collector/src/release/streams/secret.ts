/** What is kept of a stream that nobody may see. */

import type { SparseCounts } from './cells.ts';

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
