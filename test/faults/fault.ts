/** A fault, and what it takes to try it. */

import type { Outcome } from './outcome.ts';

export interface Fault {
  readonly name: string;
  /** Why it can't be tried here; undefined when it can. */
  readonly unable?: () => string | undefined;
  /** In seconds, beside every other test. */
  readonly short: () => Promise<Outcome>;
  /** In minutes, alone. */
  readonly long: () => Promise<Outcome>;
}
