/** What the decoding thread is asked and tells, as plain data. */

import type { CellMap } from '../decoding/decode/evidence.ts';
import type { Step } from '../decoding/discovery/select.ts';
import type { Truth } from './estimates.ts';
import type { Selected } from './tasks.ts';

/** A decode of one selection. */
export interface DecodeTask {
  readonly of: readonly [Selected];
  readonly settings: {
    readonly minimum: number;
    readonly fdr: number;
    /** Whether candidates that are not found are wanted, too. */
    readonly all: boolean;
    /** Without candidates, those of the collector are looked for. */
    readonly candidates?: readonly string[];
  };
  /** The true shares by label, known only in demonstrations. */
  readonly shares?: ReturnType<Truth>;
}

/**
 * How far a decode is. It waits for others, reads the tallies, hashes the candidates unless they are known, and decodes, in steps of which
 * nobody knows how many there will be. Without a list it searches, a few times: each search looks at prefixes of more and more bytes, up to
 * `longest`, and keeps some.
 */
export type Progress =
  | { readonly stage: 'waiting' | 'reading' }
  | { readonly stage: 'hashing'; readonly done: number; readonly candidates: number }
  | { readonly stage: 'decoding'; readonly candidates: number; readonly steps: number }
  | ({ readonly stage: 'searching' } & Step);

/** A task on its way to the thread. */
export interface DecodeOrder {
  readonly id: number;
  readonly task: DecodeTask;
  /** The map of its candidates, if it is known. */
  readonly map: CellMap | undefined;
}

/** What the thread says before it replies. */
export type DecodeNote = { readonly id: number } & ({ readonly progress: Progress } | { readonly map: CellMap });
