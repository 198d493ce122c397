/** What the embedded store and the thread of its writer say to one another: each request has one reply, in order. */

import type { Group } from './group.ts';
import type { Shapes } from './store.ts';

/** What the store asks of its writer. */
export type Request =
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'fold' }
  | { readonly kind: 'expire'; readonly day: number }
  | { readonly kind: 'close' };

/** What became of a batch, as a byte of a reply. */
export const RESULTS = ['counted', 'duplicate', 'conflict', 'expired'] as const;

/** What the writer answers, once it is on the disk. */
export interface Reply {
  /** Of a group, for each batch the place of its result among `RESULTS`. */
  readonly results?: Uint8Array;
  readonly error?: string;
  /** Of an error: the disk has no room. */
  readonly isFull?: boolean;
}

/** What a writer says of itself: work of its own that failed, and is tried again. */
export interface Trouble {
  readonly trouble: string;
}

/** What a writer is given. */
export interface WriterData {
  readonly file: string;
  readonly shapes: Shapes;
}
