/** What a context of a device works on: its questions, its coins and its clock. A context is a tab, a worker or a process. */

import type { SchemaDocument, Batch as WireBatch } from '@murmuration/shared';
import type { Path } from './record.ts';
import type { Outcome } from './types.ts';

/** Everything but what is stored. */
export interface Device extends Path, Pick<SchemaDocument, 'about' | 'assign'> {
  readonly segment: WireBatch['segment'];
  /** The most batches with one day's date. */
  readonly perDay: number;
  /** Whether reports wait for a random day of the next slot. */
  readonly isLater: boolean;
  /** The share of devices that take part. */
  readonly sampleRate: number;
  /** 32 random bits. */
  readonly word: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Days since 1970-01-01. */
  readonly today: () => number;
  /** This context, until its page is left. */
  me: string;
  /** What the transaction that is being decided says of records and reports: told once it is done. */
  said: Outcome[];
}
