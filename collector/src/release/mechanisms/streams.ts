/** What the mechanisms for a stream of counting queries share: their parameters, and the refusal of designs that promise nothing. */

import type { Ratio } from '@murmuration/shared';
import { type InteractiveOptions, interactiveBound } from './interactive.ts';

/** The parameters of mechanisms for a stream of queries. */
export interface StreamOptions {
  readonly epsilon: Ratio;
  readonly sensitivity: number;
  readonly cells: number;
  /** The published number of records. */
  readonly total: number;
  /** The number of queries for which the error is stated. */
  readonly queries: number;
}

/** All but the name and the guesses. */
export type Design = StreamOptions & Omit<InteractiveOptions, 'name' | 'guesses'>;

/** Throws a RangeError if the stated error is not below the number of records: an answer without data would have it too. */
export function assertUseful(name: string, design: Design): void {
  const bound = interactiveBound(design);
  if (bound < design.total) return;
  throw new RangeError(
    `${name}: expected more records or a larger ε, got a stated error of ${Math.ceil(bound)} for ${design.total} records; ` +
      'or name `hard`, the number of hard queries, to go without the promise that the session lasts',
  );
}
