/** The public types of the client. */

import type { Schema, Segments, ValueOf } from '@murmuration/shared';
import type { Clock, Lifecycle } from './adapters/lifecycle.ts';
import type { Storage } from './adapters/storage.ts';
import type { Transport } from './adapters/transport.ts';
import type { DeviceQuestions } from './questions/question.ts';
import type { Rng } from './random/coins.ts';
import type { Look } from './view.ts';

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
    /** Other devices answer this metric: by `sampleRate`, or by the schema's `assign`. */
    | 'not-chosen'
    /** An older version of the schema has spent this window's budget. */
    | 'over-budget'
    /** Nobody has agreed; or the person has refused, which erases what waits, too. */
    | 'no-consent'
    /** The question has ended: the day that it `expires` is over, or the collector has retired it. */
    | 'retired'
    /** Recorded after `close()`. */
    | 'closed'
    /** Not a value of the metric's type. */
    | 'wrong-type'
    | 'unknown-metric'
    /** No cryptographic source of randomness: nothing is recorded without one. */
    | 'no-entropy'
    /** Nothing could be written down, so nothing is sent. In a page the randomized answer may wait in `localStorage` for the next start. */
    | 'storage-failed'
    /** What was stored can't be read: the budget counts as spent today, every metric as answered, and an agreement no more. */
    | 'storage-reset'
    | 'delivered'
    /** The collector refused the batch for good. */
    | 'refused'
    /** It could not be sent for 14 days; or not be written down for so long, or before another version of the schema came. */
    | 'expired'
    /** The outbox was full, and its oldest batch made room. */
    | 'dropped';
  /** Of `refused`, why, in the collector's words. */
  readonly reason?: string | undefined;
}

/** Whether the person has agreed. Unless `granted`, nothing is sent, and nothing is stored but a refusal and, of an earlier agreement, the ledger. */
export interface Consent {
  /** `unknown` until the storage has answered; then `ask` where the person has not decided. */
  readonly state: 'unknown' | 'ask' | 'granted' | 'denied';
  /** Agrees, until `deny`. */
  grant(): void;
  /** Refuses: erases what waits to be sent. The ledger stays, or refusing and agreeing again would renew the budget. */
  deny(): void;
  /** Calls back when `state` has changed, here or in another tab. Returns what stops it. */
  subscribe(listener: () => void): () => void;
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
  readonly consent?: Exclude<Consent['state'], 'unknown'>;
  /**
   * `soon`, a few seconds after the record, or `later`: each report waits for a random day of the metric's next slot, so that its
   * arrival does not tell when it was recorded. People who never come back are then never counted.
   */
  readonly upload?: 'soon' | 'later';
  /** The most batches that leave this device with one day's date: 8, for `later` 1. The last of a day is sent when the day is over. */
  readonly batchesPerDay?: number;
  /** The share of devices that take part, drawn once and kept: 1 when left out. It gives no discount on ε. */
  readonly sampleRate?: number;
  readonly onOutcome?: (outcome: Outcome) => void;
  /**
   * Explains each outcome in the console, once for each metric and result. Where it is left out: yes while you develop, but not in Node. A
   * production bundle holds no explanations.
   */
  readonly debug?: boolean;
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
  /** What is stored now, for `preview(telemetry)` and `ledger(telemetry)` to show. Spends nothing. */
  look(): Promise<Look>;
  /**
   * Sends what waits: all that was never sent, and of what could not be delivered one batch, once its pause is over. Resolves when each has
   * its answer: 10 seconds at most, after what is being written. Never rejects.
   */
  flush(): Promise<void>;
  /**
   * Erases all that is stored but a tombstone, for every tab: until the window ends, the whole budget counts as spent. Refuses,
   * too. Resolves when it is done.
   */
  forget(): Promise<void>;
  /**
   * While you develop: erases all that is stored, the ledger too, so that this is a new device. A production bundle has no such method,
   * for it would spend the budget again.
   */
  readonly reset?: () => Promise<void>;
  /** Writes and sends what waits, then stops timers and listeners. What is recorded later is `closed`. */
  close(): Promise<void>;
}
