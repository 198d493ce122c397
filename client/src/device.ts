/** Parts of a device's context: its questions, its coins and its clock. A context is a tab, a worker or a process. */

import { BATCHES_PER_DAY, type Batch, dayNumber, hex, type SchemaDocument, type Segments, systemRng, words } from '@murmuration/shared';
import type { Clock } from './adapters/lifecycle.ts';
import type { Claim } from './ledger/ledger.ts';
import type { State } from './ledger/state.ts';
import { attempt } from './maybe.ts';
import type { DeviceQuestions } from './questions/question.ts';
import { createCoins } from './random/coins.ts';
import type { Path } from './record.ts';
import type { Options, Outcome } from './types.ts';

/** A time in the year 9892: days beyond have no text of ten characters, and where adding one changes nothing no search for a day ends. */
const LATEST = 2.5e14;

/** The parts of a device that only some schemas need (schema.ts). */
export interface Parts {
  /** For metrics with `otherwise`: begins their slots. */
  readonly begin?: (device: Device, state: State) => void;
  /** For metrics with `otherwise`: puts an answer in place of the queued report. */
  readonly replace?: (device: Device, state: State, asked: Claim) => Outcome['result'];
  /** For `assign: 'random'`: true if this device answers a metric. */
  readonly isAssigned?: (device: Device, state: State, metric: string) => boolean;
}

/** Everything except the stored state. */
export interface Device extends Path, Parts, Pick<SchemaDocument, 'about' | 'assign' | 'reports'> {
  readonly segment: Batch['segment'];
  /** The most batches with one day's date. */
  readonly perDay: number;
  /** True if reports wait for a random day of the next slot. */
  readonly isLater: boolean;
  /** The share of devices that take part. */
  readonly sampleRate: number;
  /** 32 random bits. */
  readonly word: () => number;
  /** Milliseconds since 1970; NaN where the clock gives no time that a report could carry. */
  readonly now: () => number;
  /** Days since 1970-01-01. */
  readonly today: () => number;
  /** The id of this context. It changes when the page is left and returns. */
  me: string;
  /** Outcomes of the current transaction. They are reported once it completes. */
  said: Outcome[];
}

/** Creates a context of the device described by an app's options. */
export function createDevice<M extends DeviceQuestions, S extends Segments>(options: Options<M, S>, clock: Clock): Device {
  const { schema, segment, upload, sampleRate = 1 } = options;
  const isLater = upload === 'later';
  const word = words(options.rng ?? systemRng);
  const now = (): number => {
    const time = attempt(() => clock.now()) as number; // `record` never throws, whatever clock the app passes
    return time < LATEST ? time : Number.NaN;
  };
  return {
    ...schema,
    ...schema.document,
    ...(schema.parts as Parts),
    segment,
    perDay: Math.max(1, options.batchesPerDay ?? (isLater ? 1 : BATCHES_PER_DAY)), // with none a search for a day would not end
    isLater,
    sampleRate,
    word,
    coins: createCoins(word),
    newId: () => [word(), word(), word(), word()].map(hex).join(''),
    now,
    today: () => dayNumber(now()),
    me: '',
    said: [],
  };
}
