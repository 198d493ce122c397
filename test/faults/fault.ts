/** A fault test, and its requirements. */

import type { Outcome } from './outcome.ts';

/** What both runs of a fault have. */
interface Named {
  readonly name: string;
  /** The reason why it can't run here; undefined when it can. */
  readonly unable?: () => string | undefined;
}

/** A fault in a short run, which takes seconds, and runs beside other tests. */
export interface ShortFault extends Named {
  readonly short: () => Promise<Outcome>;
}

/** A fault in a long run, which takes minutes. */
export interface LongFault extends Named {
  /** The minutes that it takes, where it judges no rate and so may run beside others. Without, it runs alone. */
  readonly beside?: number;
  readonly long: () => Promise<Outcome>;
}

export interface Fault extends ShortFault, LongFault {}
