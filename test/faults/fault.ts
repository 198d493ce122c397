/** A fault test, and its requirements. */

import type { Outcome } from './outcome.ts';

export interface Fault {
  readonly name: string;
  /** The reason why it can't run here; undefined when it can. */
  readonly unable?: () => string | undefined;
  /** The minutes that the long run takes, where it judges no rate and so may run beside others. Without, it runs alone. */
  readonly beside?: number;
  /** Takes seconds, and runs beside other tests. */
  readonly short: () => Promise<Outcome>;
  /** Takes minutes. */
  readonly long: () => Promise<Outcome>;
}
