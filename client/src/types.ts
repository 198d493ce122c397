/** The public types of the client. */

import type { Schema, Segments, ValueOf } from '@murmuration/shared';
import type { Clock, Lifecycle } from './adapters/lifecycle.ts';
import type { Storage } from './adapters/storage.ts';
import type { Transport } from './adapters/transport.ts';
import type { DeviceQuestions } from './questions.ts';
import type { Rng } from './random/coins.ts';
import type { LedgerView, Preview } from './view.ts';

/** What became of a record or of a report. It never holds a value, and depends on one only where that is of a wrong type. */
export interface Outcome {
  /** The metric, where the outcome is one metric's. */
  readonly metric?: string | undefined;
  readonly result: /** Randomized, stored, and waiting to be sent. */
    | 'recorded'
    /** The slot of a metric with `otherwise` has begun: that answer waits, until one is recorded. */
    | 'begun'
    /** The metric's slot is taken until its next day; of one with `otherwise`, it may not have begun. */
    | 'already-answered'
    /** Other devices answer this metric: by `sample`, or by the schema's `assign`. */
    | 'not-chosen'
    /** An older version of the schema has spent this window's budget. */
    | 'over-budget'
    | 'no-consent'
    /** The person has decided, here or in another tab: see `consent.state`. */
    | 'consent-changed'
    /** Not a value of the metric's type. */
    | 'wrong-type'
    | 'unknown-metric'
    /** No cryptographic source of randomness: nothing is recorded without one. */
    | 'no-entropy'
    /** The slot could not be written down, so the report was dropped. */
    | 'storage-failed'
    /** What was stored can't be read: the budget counts as spent today, and every metric as answered. */
    | 'storage-reset'
    | 'delivered'
    /** The collector refused the batch for good. */
    | 'refused'
    /** It could not be sent for 14 days, or waited for the storage past the day on which it was recorded. */
    | 'expired'
    /** The outbox was full, and its oldest batch made room. */
    | 'dropped';
}

/** Whether the person has agreed. Nothing is stored or sent unless `granted`. */
export interface Consent {
  readonly state: 'ask' | 'granted' | 'denied';
  /** Agrees, until `deny`. */
  grant(): void;
  /** Refuses: erases what waits to be sent. The ledger stays, or refusing and agreeing again would renew the budget. */
  deny(): void;
}

/** This device's value of each segment that the schema declares. Sent in clear. */
type SegmentOf<S extends Segments> = { readonly [K in keyof S]: S[K][number] };

/** What `createTelemetry` takes. Only `schema` and `endpoint` are needed, and `segment` where the schema declares segments. */
export type Options<M extends DeviceQuestions, S extends Segments> = CommonOptions<M, S> &
  (string extends keyof S ? { readonly segment?: SegmentOf<S> } : { readonly segment: SegmentOf<S> });

/** What every app passes, and may. */
interface CommonOptions<M extends DeviceQuestions, S extends Segments> {
  readonly schema: Schema<M, S>;
  /** The collector's address, `https://t.example.com`, or a path on the page's own server. */
  readonly endpoint: string;
  /** The public write key. */
  readonly key?: string;
  /** The consent that holds until `grant` or `deny`; `ask` when left out. Global Privacy Control makes `granted` into `denied`. */
  readonly consent?: Consent['state'];
  /**
   * `soon`, a few seconds after the record, or `later`: each report waits for a random day of the metric's next slot, so that its
   * arrival does not tell when it was recorded. People who never come back are then never counted.
   */
  readonly upload?: 'soon' | 'later';
  /** The most batches that leave this device with one day's date: 8, for `later` 1. The last of a day is sent when the day is over. */
  readonly batchesPerDay?: number;
  /** The share of devices that take part, drawn once and kept: 1 when left out. It gives no discount on ε. */
  readonly sample?: number;
  readonly onOutcome?: (outcome: Outcome) => void;
  readonly storage?: Storage;
  readonly transport?: Transport;
  readonly lifecycle?: Lifecycle;
  readonly clock?: Clock;
  readonly rng?: Rng;
}

/** A device's telemetry. */
export interface Telemetry<M extends DeviceQuestions> {
  /** Answers a metric. The value is randomized within this call, and only that is kept. Never throws. */
  record<K extends keyof M & string>(metric: K, value: ValueOf<M[K]>): void;
  readonly consent: Consent;
  /** What waits to be sent, its very bytes and what they say in words. What is dated today or later may grow. Spends nothing. */
  preview(): Promise<readonly Preview[]>;
  /** What is spent and left, by metric, and what a year adds up to. */
  ledger(): Promise<LedgerView>;
  /** Sends what waits; resolves when each batch has its answer. Never rejects. */
  flush(): Promise<void>;
  /**
   * Erases all that is stored but a tombstone, in every tab: until the window ends, the whole budget counts as spent. Refuses,
   * too. Resolves when it is done.
   */
  forget(): Promise<void>;
  /** Flushes, stops timers and listeners, and lets another context take over. */
  close(): Promise<void>;
}
