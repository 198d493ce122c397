/** What a store does. Tallies are the only state: sums of reports, and the ids of the batches that are in them. */

import type { AcceptedBatch, PackedMetric } from '../ingest/parse-batch.ts';

/** One cohort's evidence: how many reports, and how many of them support each cell. */
export interface Tally {
  readonly reports: number;
  readonly cells: Float64Array;
}

/** A metric's evidence by cohort. */
export type Tallies = ReadonlyMap<number, Tally>;

/** A batch to be counted, with a hash of the bytes that it came in: hex digits, 16 of them or more. */
export interface Entry extends AcceptedBatch {
  readonly hash: string;
}

/** Counted now; counted before, with the same bytes; an id that was used for other bytes; or of a day whose ids are forgotten. */
export type Appended = 'counted' | 'duplicate' | 'conflict' | 'expired';

/** The metrics of each published schema, by its wire name: what the numbers in a batch's reports stand for. */
export type Shapes = ReadonlyMap<string, readonly PackedMetric[]>;

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

/** How many reports of one day had so many ones, whatever their cohort and segment. */
export interface Weights {
  readonly day: number;
  readonly reports: ReadonlyMap<number, number>;
}

/** What a store rejects with when the disk has no room: a batch may be sent again. */
export class StoreFull extends Error {}

/** A store. */
export interface Store {
  /** Resolves when the batch and its id are on the disk, in one transaction. */
  readonly append: (entry: Entry) => Promise<Appended>;
  /** Adds up what was appended before it was asked. */
  readonly read: (selection: Selection) => Promise<Evidence>;
  /** Reports by how many ones they have, day by day: of bit vectors that may have any number of them. */
  readonly weights: (selection: Pick<Selection, 'schemas' | 'metric' | 'from' | 'to'>) => Promise<readonly Weights[]>;
  /** Forgets the ids of batches of days before this one, and takes none of those days ever again: it could not know a replay. */
  readonly expire: (day: number) => Promise<void>;
  /** Resolves when the store can do no more, though nobody closed it. What it has acknowledged is there when it is opened again. */
  readonly failed: Promise<Error>;
  /** Resolves when everything that was appended is on the disk. */
  readonly close: () => Promise<void>;
}
