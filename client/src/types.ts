/** The public types of the client. */

import type { Rng, Segments, ValueOf } from '@murmuration/shared';
import type { Clock, Lifecycle } from './adapters/lifecycle.ts';
import type { Storage } from './adapters/storage.ts';
import type { Transport } from './adapters/transport.ts';
import type { DeviceQuestions, Schema } from './questions/question.ts';
import type { Look } from './view.ts';

/** Outcome of a record or of a report. It never contains a value, and depends on one only if the value has a wrong type. */
export interface Outcome {
  /** The metric, if the outcome concerns one metric. */
  readonly metric?: string | undefined;
  readonly result: /** Randomized, stored, and waiting to be sent. */
    | 'recorded'
    /** The slot of a metric with `otherwise` has begun. The `otherwise` answer is queued until an answer is recorded. */
    | 'begun'
    /** The metric's slot is taken until its next day. With `otherwise`, the slot may also not have begun yet. */
    | 'already-answered'
    /** This device was not drawn for the metric, by `sampleRate` or by the schema's `assign`. */
    | 'not-chosen'
    /** An older version of the schema has spent this window's budget. */
    | 'over-budget'
    /** The person has not agreed, or has refused, which also erases reports that wait. */
    | 'no-consent'
    /** The question has ended: its `expires` day is over, or the collector has retired it. */
    | 'retired'
    /** Recorded after `close()` was called. */
    | 'closed'
    /** Not a value of the metric's type. */
    | 'wrong-type'
    | 'unknown-metric'
    /** There is no cryptographic source of randomness. Nothing is recorded without one. */
    | 'no-entropy'
    /** Storing failed, so nothing is sent. In a page the randomized answer may wait in `localStorage` for the next start. */
    | 'storage-failed'
    /** A page of another origin frames this one. Nothing is stored or sent there without the option `partitioned`. */
    | 'third-party'
    /** The stored state can't be read, or is gone. The budget counts as spent and every metric as answered, and any consent is void. */
    | 'storage-reset'
    | 'delivered'
    /** The collector refused the batch permanently. */
    | 'refused'
    /** It could not be sent or stored for 14 days, or was not stored before another version of the schema arrived, or the clock has no day. */
    | 'expired'
    /** The outbox was full, and its oldest batch was removed. Of `createLazyTelemetry`: too many answers waited for the code. */
    | 'dropped';
  /** For `refused`: the collector's refusal, in its own words. */
  readonly reason?: string | undefined;
}

/**
 * The person's consent. Unless the state is `granted`, nothing is sent. Nothing is stored then except a refusal and the ledger of
 * an earlier agreement.
 */
export interface Consent {
  /** `unknown` until the storage has answered; then `ask` if the person has not decided. */
  readonly state: 'unknown' | 'ask' | 'granted' | 'denied';
  /** Agrees, until `deny`. */
  grant(): void;
  /** Refuses, and erases reports that wait. The ledger stays; otherwise refusing and agreeing again would renew the budget. */
  deny(): void;
  /** Calls back when `state` has changed, here or in another tab. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/** This device's value of each segment that the schema declares. Sent unencrypted and unrandomized. */
type SegmentOf<S extends Segments> = { readonly [K in keyof S]: S[K][number] };

/** The text of an endpoint. One that is known when the app is compiled must be an address, or a path that begins with `/`. */
type Endpoint<E extends string> =
  Record<never, never> extends Record<E, true> // true for any string, and for a template of one
    ? string
    : E extends `${string}/v1/reports`
      ? 'an address without /v1/reports'
      : E extends `/${string}` | `http://${string}` | `https://${string}`
        ? E
        : `https://${E}`;

/**
 * The options of `createTelemetry`. Only `schema` and `endpoint` are required, and `segment` if the schema declares segments. `E` is the
 * endpoint's text where that is known when the app is compiled.
 */
export type Options<M extends DeviceQuestions, S extends Segments, E extends string = string> = CommonOptions<M, S, E> &
  (string extends keyof S
    ? { readonly segment?: SegmentOf<S> }
    : [keyof S] extends [never]
      ? { readonly segment?: never }
      : { readonly segment: SegmentOf<S> });

/** The options of every app, required and optional. */
interface CommonOptions<M extends DeviceQuestions, S extends Segments, E extends string> {
  readonly schema: Schema<M, S>;
  /** The collector's address, such as `https://t.example.com`, or a path on the page's own server. */
  readonly endpoint: string & Endpoint<E>;
  /** The public write key. */
  readonly key?: string;
  /** The consent that applies until `grant` or `deny`; `ask` by default. Global Privacy Control turns `granted` into `denied`. */
  readonly consent?: Exclude<Consent['state'], 'unknown'>;
  /**
   * When reports are sent. `soon`: a few seconds after the record. `later`: each report waits for a random day of the metric's next slot,
   * so that its arrival does not reveal when it was recorded. Devices that never come back are then not counted.
   */
  readonly upload?: 'soon' | 'later';
  /**
   * The most batches that this device sends with one day's date: 8 by default, 1 for `later`. The last batch of a day is sent when the day
   * is over.
   */
  readonly batchesPerDay?: number;
  /** The share of devices that take part; 1 by default. Each device draws once and stores the result. Sampling does not reduce ε. */
  readonly sampleRate?: number;
  readonly onOutcome?: (outcome: Outcome) => void;
  /**
   * Explains each outcome in the console, once for each metric and result. By default it does so during development, except in Node. A
   * production bundle contains no explanations.
   */
  readonly debug?: boolean;
  /**
   * Records also in a page that is framed by a page of another origin. Browsers give it a storage for each site that frames it, so each is
   * an installation with a budget of its own. Without it, nothing is recorded there.
   */
  readonly partitioned?: boolean;
  readonly storage?: Storage;
  readonly transport?: Transport;
  readonly lifecycle?: Lifecycle;
  readonly clock?: Clock;
  readonly rng?: Rng;
}

/** A device's telemetry. */
export interface Telemetry<M extends DeviceQuestions> {
  /** Answers a metric. The value is randomized within this call, and only the randomized answer is kept. Never throws. */
  record<K extends keyof M & string>(metric: K, value: ValueOf<M[K]>): void;
  readonly consent: Consent;
  /** The stored state, to be shown with `preview(telemetry)` and `ledger(telemetry)`. Begins slots with `otherwise` that are due. */
  look(): Promise<Look>;
  /**
   * Sends waiting batches: all that were never sent and, of those that could not be delivered, one whose pause is over. Where reports are
   * sent alone it sends one at most. Resolves when each has its response, at most 10 seconds after the current write. Never rejects.
   */
  flush(): Promise<void>;
  /**
   * Erases everything that is stored, for every tab, except a tombstone: until the window ends, the whole budget counts as spent. It also
   * refuses consent. Resolves when it is done.
   */
  forget(): Promise<void>;
  /**
   * For development: erases everything that is stored, including the ledger, so that this is a new device. A production bundle has no such
   * method, because it would allow the budget to be spent again.
   */
  readonly reset?: () => Promise<void>;
  /** Writes and sends what waits, then stops timers and listeners. Records from the call on have the outcome `closed`. */
  close(): Promise<void>;
}
