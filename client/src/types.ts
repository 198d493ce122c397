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
    /** The metric's slot is taken until its next day. */
    | 'already-answered'
    /** An older version of the schema has spent this window's budget. */
    | 'over-budget'
    | 'no-consent'
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
    | 'expired';
}

/** Whether the person has agreed. Nothing is stored or sent unless `granted`. */
export interface Consent {
  readonly state: 'ask' | 'granted' | 'denied';
  /** Agrees, until `deny`. */
  grant(): void;
  /** Refuses: erases what waits to be sent. The ledger stays, or refusing and agreeing again would renew the budget. */
  deny(): void;
}

/** What `createTelemetry` takes. Only `schema` and `endpoint` are needed, and `segment` where the schema declares segments. */
export interface Options<M extends DeviceQuestions, S extends Segments> {
  readonly schema: Schema<M, S>;
  /** The collector's address, `https://t.example.com`, or a path on the page's own server. */
  readonly endpoint: string;
  /** The public write key. */
  readonly key?: string;
  /** This device's value of each segment that the schema declares. Sent in clear. */
  readonly segment?: { readonly [K in keyof S]: S[K][number] };
  /** The consent that holds until `grant` or `deny`; `ask` when left out. Global Privacy Control makes `granted` into `denied`. */
  readonly consent?: Consent['state'];
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
  /** The very bytes that the next flush sends, and what they say in words. Spends nothing. */
  preview(): Promise<readonly Preview[]>;
  /** What is spent and left, by metric. */
  ledger(): Promise<LedgerView>;
  /** Sends what waits; resolves when each batch has its answer. Never rejects. */
  flush(): Promise<void>;
  /** Flushes, stops timers and listeners, and lets another context take over. */
  close(): Promise<void>;
}
