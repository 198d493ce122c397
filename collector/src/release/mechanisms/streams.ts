/** What the mechanisms for a stream of counting queries share: their parameters, and the refusal of designs that promise nothing. */

import type { Ratio } from '@murmuration/shared';
import { type InteractiveOptions, interactiveBound } from './interactive.ts';
import { assertWhole } from './spending.ts';

/** The parameters of mechanisms for a stream of queries. */
export interface StreamOptions {
  readonly epsilon: Ratio;
  readonly sensitivity: number;
  readonly cells: number;
  /** The number of records for which the error is stated. */
  readonly total: number;
  /**
   * The published number of records, which guesses add up to. It is `total` by default. With fewer the promise holds, too: what is left to
   * learn grows with it.
   */
  readonly released?: number;
  /** How far the published number is from the true one at most. γ grows by it, as the mechanisms' files derive. By default it is exact. */
  readonly off?: number;
  /** The number of queries for which the error is stated. */
  readonly queries: number;
}

/** All but the name and the guesses. */
export type Design = StreamOptions & Omit<InteractiveOptions, 'name' | 'guesses'>;

/** Throws a RangeError unless the numbers of records are whole numbers from 1, and none is above a limit. */
export function assertTotals(name: string, { total, released = total, off = 0 }: StreamOptions, most: number): void {
  assertWhole(total, `${name}: the number of records`, 1, most);
  assertWhole(released, `${name}: the published number of records`, 1, most);
  assertWhole(off, `${name}: how far the published number is off`, 0, most);
}

/** Throws a RangeError if the stated error is not below the number of records: an answer without data would have it too. */
export function assertUseful(name: string, design: Design): void {
  const bound = interactiveBound(design);
  if (bound < design.total) return;
  throw new RangeError(
    `${name}: expected more records or a larger ε, got a stated error of ${Math.ceil(bound)} for ${design.total} records; ` +
      'or name `hard`, the number of hard queries, to go without the promise that the session lasts',
  );
}
