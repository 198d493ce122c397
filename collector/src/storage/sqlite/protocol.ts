/** Messages between the embedded store and its writer thread. Each request has one reply, in order. */

import type { Shapes } from '../../schemas/catalog.ts';
import type { Group } from '../group-commit.ts';
import type { QuotaLimits } from '../quota.ts';
import type { RetentionOptions } from '../retention.ts';
import type { StoreSizes } from '../store.ts';

/** A request to the writer. */
export type Request =
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'fold' }
  | { readonly kind: 'publish'; readonly shapes: Shapes }
  | { readonly kind: 'expire'; readonly day: number }
  | { readonly kind: 'sizes' }
  | { readonly kind: 'close' };

/** The possible results for a batch. A reply encodes each as one byte, its index in this list. */
export const RESULTS = ['counted', 'duplicate', 'conflict', 'expired', 'full', 'unread'] as const;

/** Result of the writer's work. It replies once the work is on the disk. */
export interface Done {
  /** For a group: the result of each batch, as an index into `RESULTS`. */
  readonly results?: Uint8Array;
  readonly sizes?: StoreSizes;
}

/** A message that the writer sends unasked: background work failed, and will be retried. */
export interface Trouble {
  readonly trouble: string;
}

/** Start data of a writer. */
export interface WriterData {
  readonly file: string;
  readonly shapes: Shapes;
  readonly limits: QuotaLimits;
  readonly retention: RetentionOptions;
}
