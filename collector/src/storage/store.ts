/** The store interface. Tallies are its only state: sums of reports, and the ids of the batches that are in them. */

import type { Evidence } from '../estimation/tally.ts';
import type { Shapes } from '../schemas/catalog.ts';

/** A batch that passed every check. */
export interface AcceptedBatch {
  readonly schema: string;
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly id: string;
  /** Segment values as JSON, sorted by segment name; `{}` without segments. */
  readonly segment: string;
  /** The reports, one after the other: the index of its metric in the schema, then the report packed as words. */
  readonly reports: Int32Array;
  /** The number of reports. */
  readonly count: number;
}

/** A batch to be counted, with a hash of the bytes of its body: at least 16 hex digits. */
export interface Entry extends AcceptedBatch {
  readonly hash: string;
}

/**
 * Counted now; counted before with the same bytes; refused because the id was used for other bytes; or refused because the ids of its day
 * were deleted; or refused because it would open tallies that there is no room for; or because the ids of its day are not read yet after a
 * start. The last two may be sent again.
 */
export type Appended = 'counted' | 'duplicate' | 'conflict' | 'expired' | 'full' | 'unread';

/** Selects the reports to add up. */
export interface Selection {
  /** Wire names of schemas in which the metric has the same law. */
  readonly schemas: readonly string[];
  readonly metric: string;
  /** First and last day, in days since 1970-01-01. Default: all days. */
  readonly from?: number;
  readonly to?: number;
  /** Days that are left out. The month of a day that is kept as a month is left out as a whole. */
  readonly exclude?: readonly number[];
  /** Keeps only batches whose segment has these values. */
  readonly segment?: { readonly [name: string]: string };
}

/** Totals of a schema's metric, from a small table, so that no tally is read for it. */
export interface MetricTotal {
  /** Wire name. */
  readonly schema: string;
  readonly metric: string;
  readonly reports: number;
  /** First and last day with reports. */
  readonly from: number;
  readonly to: number;
  /** Another number whenever the tallies have changed. Never used again, not even for a metric that was deleted and has come back. */
  readonly version: number;
}

/** The tallies of the embedded store: a file. */
export interface FileSource {
  readonly file: string;
}

/** The tallies of a store on PostgreSQL: a URL, which may hold a password and so must not be logged. */
export interface PostgresSource {
  readonly postgres: string;
}

/** Where a store's tallies are: plain data, which may be sent to another thread. `openTallies` opens them. */
export type TallySource = FileSource | PostgresSource;

/** Reads tallies. */
export interface TallyReader {
  /** The metrics that have reports. */
  readonly totals: () => Promise<readonly MetricTotal[]>;
  readonly read: (selection: Selection) => Promise<Evidence>;
  readonly close: () => Promise<void>;
}

/** How much a store holds. */
export interface StoreSizes {
  /** Ids of batches whose days are still accepted. */
  readonly ids: number;
  /** Days whose batches are not taken yet, because a start has not read all of their ids. */
  readonly unread?: readonly number[];
  /** The most ids that it may hold, where a number bounds them, and the ids of the day that has most. */
  readonly mostIds?: number;
  readonly idsADay?: number;
  /** True if no app has room for the id of a further batch. */
  readonly isFull?: boolean;
  /** Rows of tallies. */
  readonly rows: number;
  /** Rows that are not folded into the tallies yet, and seconds for which one of them could not be. */
  readonly deltas?: number;
  readonly foldAge?: number;
}

/** The first and the last day, counted from 1970-01-01. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** Reads tallies in parts, for series. */
export interface PartsReader extends TallyReader {
  /** Sums of each part of a selection, without its ones. The parts follow each other in time. */
  readonly readParts: (selection: Omit<Selection, 'from' | 'to'>, parts: readonly DayRange[]) => Promise<readonly Evidence[]>;
}

/** A commit that is on the disk. */
export interface Commit {
  /** The number of batches that waited for it, and how many of them it counted. */
  readonly batches: number;
  readonly counted: number;
  /** The latest day of the batches that it counted; undefined without any. */
  readonly newest: number | undefined;
  readonly seconds: number;
}

/**
 * A store of tallies. Its own `read` and `totals` hold everything that was appended before the call, except while the disk is full: then
 * they hold what is folded.
 */
export interface Store extends TallyReader {
  /** Resolves when the batch and its id are on the disk, written in one transaction. */
  readonly append: (entry: Entry) => Promise<Appended>;
  /** Resolves when the readers of `source` see everything that was appended before the call. */
  readonly fold: () => Promise<void>;
  readonly source: TallySource;
  /** Makes the shapes of further schemas known. Resolves when their batches may be appended. */
  readonly publish: (shapes: Shapes) => Promise<void>;
  /**
   * Deletes the ids of batches of days before this one. Batches of those days are refused from then on, because replays of them could no
   * longer be recognized.
   */
  readonly expire: (day: number) => Promise<void>;
  /** True if its database does not answer, where it has one of its own. It is tried again without being asked. */
  readonly isAway?: () => boolean;
  /** Bytes of batches that are acknowledged and not in the database yet, where it keeps such. */
  readonly spilled?: () => number;
  /** Sizes for monitoring. A store that can't tell quickly has none. */
  readonly sizes?: () => Promise<StoreSizes>;
  /** Resolves when the store has failed for good without being closed. Everything that it acknowledged is there after reopening. */
  readonly failed: Promise<Error>;
  /** Closes the store. Resolves when everything that was appended is on the disk. */
  readonly close: () => Promise<void>;
}
