/** What the conformance suite needs of a kind of store. A file of one exports `engine`; processes of their own import it too. */

import type { Shapes } from '#collector/schemas/catalog.ts';
import type { QuotaLimits } from '#collector/storage/quota.ts';
import type { Store } from '#collector/storage/store.ts';

/** A kind of store. */
export interface Engine {
  readonly name: string;
  /** An empty location: a folder, a database. */
  readonly make: () => Promise<string>;
  readonly open: (location: string, shapes: Shapes, limits?: Partial<QuotaLimits>) => Promise<Store>;
  readonly remove: (location: string) => Promise<void>;
}
