/** Parts of a device's context: its questions, its coins and its clock. A context is a tab, a worker or a process. */

import { BATCHES_PER_DAY, type Batch, dayNumber, hex, type SchemaDocument, type Segments, systemRng, words } from '@murmuration/shared';
import type { Clock } from './adapters/lifecycle.ts';
import type { Claim } from './ledger/ledger.ts';
import type { State } from './ledger/state.ts';
import { LATEST } from './limits.ts';
import { attempt } from './maybe.ts';
import type { DeviceQuestions } from './questions/question.ts';
import { createCoins } from './random/coins.ts';
import type { Path } from './record.ts';
import type { Consent, Options, Outcome } from './types.ts';

/** The parts of a device that only some schemas need (schema.ts). */
export interface Parts {
  /** For metrics with `otherwise`: begins their slots. */
  readonly begin?: (device: Device, state: State) => void;
  /** For metrics with `otherwise`: puts an answer in place of the queued report. */
  readonly replace?: (device: Device, state: State, asked: Claim) => Outcome['result'];
  /** For `assign: 'random'`: true if this device answers a metric. */
  readonly isAssigned?: (device: Device, state: State, metric: string) => boolean;
}

/** The parts of a device that only some options need (options.ts). */
interface OptionParts {
  /** For `key`: what follows the address. */
  readonly query?: string;
  /** The consent that applies until the person decides. */
  readonly fallback: Exclude<Consent['state'], 'unknown'>;
  /** The most batches with one day's date. */
  readonly perDay: number;
  /** For `upload: 'later'`: the number of days from which that of a metric's report is drawn. */
  readonly later?: (device: Device, metric: string) => number;
  /** For `sampleRate`: true if this device takes no part. */
  readonly isLeftOut?: (device: Device, state: State) => boolean;
}

/** The parts that an app's options add to a device. */
export type OptionPart = (options: Options<DeviceQuestions, Segments>) => Partial<OptionParts>;

/** Everything except the stored state. */
export interface Device extends Path, Parts, OptionParts, Pick<SchemaDocument, 'about' | 'assign' | 'reports'> {
  readonly segment?: Batch['segment'];
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
export function createDevice(options: Options<DeviceQuestions, Segments>, clock: Clock, parts: readonly OptionPart[]): Device {
  const { schema, segment, rng = systemRng } = options;
  const word = words(rng);
  const now = (): number => {
    const time = attempt(() => clock.now()) as number; // `record` never throws, whatever clock the app passes
    return time < LATEST ? time : Number.NaN;
  };
  return Object.assign(
    {
      ...schema,
      ...schema.document,
      ...(schema.parts as Parts),
      segment,
      fallback: 'ask',
      perDay: BATCHES_PER_DAY,
      ...createCoins(word),
      newId: () => [word(), word(), word(), word()].map(hex).join(''),
      now,
      today: () => dayNumber(now()),
      me: '',
      said: [],
    } satisfies Device,
    ...parts.map((part) => part(options)),
  );
}
