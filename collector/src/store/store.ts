/** What a store does. Tallies are the only state: sums of reports, and the ids of the batches that are in them. */

import type { AcceptedBatch } from '@murmuration/shared';

/** One cohort's evidence: how many reports, and how many of them support each cell. */
export interface Tally {
  readonly reports: number;
  readonly cells: Float64Array;
}

/** A metric's evidence by cohort. */
export type Tallies = ReadonlyMap<number, Tally>;

/** A batch to be counted, with a hash of the bytes that it came in. */
export interface Entry extends AcceptedBatch {
  readonly hash: string;
}

/** Counted now; counted before, with the same bytes; or an id that was used for other bytes. */
export type Appended = 'counted' | 'duplicate' | 'conflict';

/** Which reports to add up. */
export interface Selection {
  /** Wire names of schemas in which the metric has the same law. */
  readonly schemas: readonly string[];
  readonly metric: string;
  /** First and last day, in days since 1970-01-01; all when left out. */
  readonly from?: number;
  readonly to?: number;
  /** Keeps batches whose segment has these values. */
  readonly segment?: { readonly [name: string]: string };
}

/** Evidence of a selection, read in one snapshot. */
export interface Evidence {
  readonly tallies: Tallies;
  readonly reports: number;
  /** First and last day with reports; null without any. */
  readonly from: number | null;
  readonly to: number | null;
}

/** A store. */
export interface Store {
  /** Resolves when the batch and its id are on the disk, in one transaction. */
  readonly append: (entry: Entry) => Promise<Appended>;
  readonly read: (selection: Selection) => Evidence;
  /** Forgets the ids of batches of days before this one: the collector accepts no more of them. */
  readonly expire: (day: number) => Promise<void>;
  /** Resolves when everything that was appended is on the disk. */
  readonly close: () => Promise<void>;
}
