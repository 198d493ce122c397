/** A device for tests: seeded coins, a clock that the test turns, memory storage, and a transport that keeps what is sent. */

import {
  createTelemetry,
  type Delivery,
  type DeviceQuestions,
  memoryStorage,
  type Options,
  type Outcome,
  type Schema,
  type Storage,
  type Telemetry,
  type Upload,
} from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import type { Batch } from '@murmuration/shared';

const DAY = 86_400_000;
/** 2026-11-20 */
export const FIRST_DAY = 20_777;

export interface Device<M extends DeviceQuestions> {
  readonly telemetry: Telemetry<M>;
  readonly outcomes: Outcome[];
  readonly uploads: Upload[];
  readonly storage: Storage;
  /** The batches that were sent, parsed. */
  readonly batches: () => Batch[];
  /** Sets the clock to so many days after the first. */
  readonly setDay: (day: number) => void;
  /** Milliseconds to add to the day. */
  readonly advance: (milliseconds: number) => void;
  /** Runs the timers that are due. */
  readonly runTimers: () => void;
  readonly timers: () => number;
  readonly hide: () => void;
}

export function device<M extends DeviceQuestions>(
  schema: Schema<M>,
  options: Partial<Options<M, Record<string, readonly string[]>>> & {
    readonly seed?: number;
    readonly answer?: (upload: Upload) => Delivery | Promise<Delivery>;
  } = {},
): Device<M> {
  const { seed = 1, answer = () => ({ status: 204 }), storage = memoryStorage(), ...rest } = options;
  const outcomes: Outcome[] = [];
  const uploads: Upload[] = [];
  let now = FIRST_DAY * DAY;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  let hide = (): void => {};
  const telemetry = createTelemetry({
    schema,
    endpoint: 'https://t.example.com/',
    consent: 'granted',
    storage,
    rng: seededRng(seed),
    onOutcome: (outcome) => outcomes.push(outcome),
    transport: async (upload) => {
      uploads.push(upload);
      return answer(upload);
    },
    clock: {
      now: () => now,
      after: (milliseconds, run) => {
        const timer = { at: now + milliseconds, run };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    lifecycle: (hidden) => {
      hide = hidden;
      return () => {
        hide = () => {};
      };
    },
    ...rest,
  } as Options<M, Record<string, readonly string[]>>);
  return {
    telemetry,
    outcomes,
    uploads,
    storage,
    batches: () => uploads.map(({ body }) => JSON.parse(body) as Batch),
    setDay: (day) => {
      now = (FIRST_DAY + day) * DAY;
    },
    advance: (milliseconds) => {
      now += milliseconds;
    },
    runTimers: () => {
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { run } of due) run();
    },
    timers: () => timers.length,
    hide: () => hide(),
  };
}

/** Lets promises settle. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
