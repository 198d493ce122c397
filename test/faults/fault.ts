/** A fault test, and its requirements. */

import type { Outcome } from './outcome.ts';

export interface Fault {
  readonly name: string;
  /** The reason why it can't run here; undefined when it can. */
  readonly unable?: () => string | undefined;
  /** Takes seconds, and runs beside other tests. */
  readonly short: () => Promise<Outcome>;
  /** Takes minutes, and runs alone. */
  readonly long: () => Promise<Outcome>;
}
