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
import { type Batch, REFUSALS } from '@murmuration/shared';
import { parseState, type State } from '#client/ledger/state.ts';

const DAY = 86_400_000;
/** 2026-11-20 */
export const FIRST_DAY = 20_777;

/** The time, which the contexts of one machine share. */
export interface Time {
  now: number;
}

/** The beginning of a day, counted from the first. */
export const timeOf = (day: number): number => (FIRST_DAY + day) * DAY;

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
  /** Lives for so many milliseconds: each timer runs at its own time. */
  readonly live: (milliseconds: number) => Promise<void>;
  readonly hide: () => void;
  /** The page is left, and may come back. */
  readonly leave: () => void;
  readonly comeBack: () => void;
}

/** What a test may set of a device. */
export type DeviceOptions<M extends DeviceQuestions> = Partial<Options<M, Record<string, readonly string[]>>> & {
  readonly seed?: number;
  readonly time?: Time;
  readonly answer?: (upload: Upload) => Delivery | Promise<Delivery>;
};

export function device<M extends DeviceQuestions>(schema: Schema<M>, options: DeviceOptions<M> = {}): Device<M> {
  const { seed = 1, answer = () => ({ status: 204 }), storage = memoryStorage(), time = { now: timeOf(0) }, ...rest } = options;
  const outcomes: Outcome[] = [];
  const uploads: Upload[] = [];
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  let happen = (_event: 'flush' | 'leave' | 'return'): void => {};
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
      now: () => time.now,
      after: (milliseconds, run) => {
        const timer = { at: time.now + milliseconds, run };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    lifecycle: (tell) => {
      happen = tell;
      return () => {
        happen = () => {};
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
      time.now = timeOf(day);
    },
    advance: (milliseconds) => {
      time.now += milliseconds;
    },
    runTimers: () => {
      const due = timers.filter(({ at }) => at <= time.now);
      timers = timers.filter(({ at }) => at > time.now);
      for (const { run } of due) run();
    },
    timers: () => timers.length,
    live: async (milliseconds) => {
      await settle();
      const end = time.now + milliseconds;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers = timers.filter((timer) => timer !== next);
        time.now = Math.max(time.now, next.at);
        next.run();
        await settle();
      }
      time.now = end;
    },
    hide: () => happen('flush'),
    leave: () => happen('leave'),
    comeBack: () => happen('return'),
  };
}

/** A collector's refusal. */
export function refusalAs(code: string, more: object = {}): Delivery & { readonly body: string } {
  const body = `${JSON.stringify({ error: code, expected: 'something', got: 'another', ...more })}\n`;
  return { status: REFUSALS[code as keyof typeof REFUSALS], body };
}

/** Lets promises settle. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What outcomes say, without the metric. */
export const results = (outcomes: readonly { readonly result: string }[]): string[] => outcomes.map(({ result }) => result);

/** How many reports of a metric are in batches. */
export const reportsOf = (batches: readonly Pick<Batch, 'reports'>[], metric: string): number =>
  batches.flatMap(({ reports }) => reports).filter(([name]) => name === metric).length;

/** The text that a storage in memory holds for an app. */
export const textIn = (storage: Storage, app = 'notes'): string | undefined =>
  storage.transact(`murmuration:${app}`, (stored) => ({ next: undefined, result: stored })) as string | undefined;

/** The state that a storage in memory holds for an app. */
export function stateIn(storage: Storage, app = 'notes'): State {
  const state = parseState(textIn(storage, app) ?? '');
  if (!state) throw new Error('nothing is stored that can be read');
  return state;
}
