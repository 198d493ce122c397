/** A device with its contexts: the production client through its public interface, with a storage, a network and a clock that fail. */

import {
  createTelemetry,
  type DeviceQuestions,
  type Outcome,
  type Rng,
  type Telemetry,
  type Transport,
  type Upload,
} from '@murmuration/client';
import { fakeClock } from '@murmuration/client/testing';
import type { Batch } from '@murmuration/shared';
import { createNetwork } from './network.ts';
import { createOracle, type Source } from './oracle.ts';
import { families, METRICS, people } from './schemas.ts';
import { createStorageModel, type Kind, type Life } from './storage-model.ts';
import { throughRelay } from './through-relay.ts';

const START = new Date('2026-11-20T08:00:00Z');
/** The longest possible pause: a timer of more than 2^31 milliseconds fires at once. */
const LONGEST_TIMER = 2_147_483_647;
/** Outcomes that only a record can have, and those that a record or a report can have. */
const ANSWERS: readonly Outcome['result'][] = [
  'recorded',
  'already-answered',
  'not-chosen',
  'over-budget',
  'no-consent',
  'retired',
  'closed',
  'wrong-type',
  'unknown-metric',
  'no-entropy',
  'storage-failed',
  'expired',
];

/** The properties of a device. */
export interface Setup {
  readonly seed: number;
  readonly kind: Kind;
  readonly tabs: 1 | 2;
  readonly consent: 'ask' | 'granted';
  readonly family: keyof typeof families;
  readonly upload: 'soon' | 'later';
  readonly sampleRate: number;
  readonly batchesPerDay: number;
}

/** The person who uses a device. */
export interface Person {
  /** The index of the person whose answers are given. */
  readonly answers: number;
  /** Whether metrics with `otherwise` are recorded when the steps say so. */
  readonly occurs: boolean;
  readonly rng: (seed: number) => Rng;
}

/** An open context. */
export interface Context extends Life, Source {
  readonly telemetry: Telemetry<DeviceQuestions>;
  /** Whether its page has been left and may be restored. */
  isAway: boolean;
  isClosing: boolean;
  readonly hasOtherwise: (metric: string) => boolean;
  /** Notifies the context of what happens to its page. */
  readonly tell: (event: 'flush' | 'leave' | 'return') => unknown;
  /** For each metric, the number of records minus the number of outcomes. */
  readonly unanswered: Map<string, number>;
}

const task = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export type Device = ReturnType<typeof createDevice>;

export function createDevice(setup: Setup, person: Person) {
  const clock = fakeClock(START);
  const timers: number[] = [];
  const storage = createStorageModel(setup.kind, clock.now);
  const network = createNetwork();
  /** The contexts whose uploads are on their way to the relay. */
  const senders = new Map<string, (upload: Upload) => void>();
  const relay = throughRelay((upload) => {
    senders.get((JSON.parse(upload.body) as Batch).batch)?.(upload);
    return network.send(upload);
  });
  /** Waits for pending promises. */
  const settle = async (): Promise<void> => {
    do for (let i = 0; i < 3; i++) await task();
    while (relay.isBusy());
  };
  const oracle = createOracle(clock.now, setup.batchesPerDay, (batch) => network.counted.has(batch) || network.refused.has(batch));
  const schemas = families[setup.family];
  const metrics = METRICS[setup.family];
  const answer = people[person.answers] as (typeof people)[number];
  const contexts: (Context | undefined)[] = [];
  /** Records without an outcome, by metric, in contexts that were killed. Records in the spill may still get one. */
  const excused = new Map<string, number>();
  const answered = new Map<string, number>();
  const recorded = new Map<string, number>();
  const add = (counts: Map<string, number>, metric: string, by: number): void => void counts.set(metric, (counts.get(metric) ?? 0) + by);
  let [version, started, nth] = [0, 0, 0];

  const open = (tab: number, isStale = false): void => {
    const schema = schemas[version % schemas.length] as (typeof schemas)[number];
    let isLeaving = false;
    const send = setup.family === 'relayed' ? relay.transportOf(schema, clock.now) : undefined;
    let listener = (_: 'flush' | 'leave' | 'return'): unknown => undefined;
    let heardAt = 0;
    const context = {
      name: `context ${tab}.${started}`,
      alive: true,
      fuse: undefined,
      isAway: false,
      isClosing: false,
      owed: [],
      unanswered: new Map(),
      // A synchronous storage is written before `telemetry` exists.
      agrees: () => (context.telemetry as Context['telemetry'] | undefined)?.consent.state !== 'denied',
      heardSince: (moment: number) => heardAt >= moment,
      hasOtherwise: (metric: string) => schema.document.metrics[metric]?.otherwise !== undefined,
      tell: (event: 'flush' | 'leave' | 'return') => {
        isLeaving = event === 'leave';
        const told = listener(event);
        isLeaving = false;
        return told;
      },
      die: () => {
        if (!context.alive) return;
        context.alive = false;
        storage.leave(context);
        contexts[tab] = undefined;
        for (const [metric, count] of context.unanswered) if (count > 0) add(excused, metric, count);
      },
    } as unknown as Context & { telemetry: Context['telemetry'] };
    contexts[tab] = context;
    const witness = {
      wrote: (text: string) => oracle.wrote(context, text),
      heard: () => {
        heardAt = oracle.moment();
      },
      spilled: (text: string) => oracle.spilled(context, text),
      withdrew: oracle.withdrew,
    };
    context.telemetry = createTelemetry({
      schema,
      endpoint: '/t',
      consent: setup.consent,
      upload: setup.upload,
      sampleRate: setup.sampleRate,
      batchesPerDay: setup.batchesPerDay,
      storage: storage.open(context, witness, isStale),
      rng: person.rng(setup.seed * 1_000 + started++),
      transport: (upload) => {
        if (!context.alive) return new Promise(() => {});
        if (setup.family !== 'relayed') {
          oracle.uploaded(context, upload, isLeaving);
          return network.send(upload);
        }
        const leaves = isLeaving;
        senders.set((JSON.parse(upload.body) as Batch).batch, (sent) => oracle.uploaded(context, sent, leaves));
        return (send as Transport)(upload);
      },
      lifecycle: (tell) => {
        listener = tell;
        return () => {
          listener = () => undefined;
        };
      },
      clock: {
        now: clock.now,
        after: (milliseconds, run) => {
          if (context.alive && !(milliseconds >= 0 && milliseconds <= LONGEST_TIMER))
            oracle.failures.push(`a timer of ${milliseconds} milliseconds`);
          timers.push(clock.now() + milliseconds);
          return clock.after(milliseconds, () => context.alive && !context.isAway && run());
        },
      },
      onOutcome: (outcome) => {
        if (!context.alive) return;
        oracle.said(context, outcome);
        const { metric, result } = outcome;
        if (metric === undefined || !ANSWERS.includes(result)) return;
        add(answered, metric, 1);
        add(context.unanswered, metric, -1);
      },
    });
  };

  return {
    setup,
    clock,
    storage,
    network,
    oracle,
    contexts,
    metrics,
    open,
    record: ({ telemetry, hasOtherwise, unanswered, isAway }: Context, chosen: readonly number[]): void => {
      if (isAway) return;
      const { record } = telemetry as unknown as { record(metric: string, value: unknown): void };
      for (const index of chosen) {
        const metric = metrics[index % metrics.length] as string;
        const value = answer(metric, nth++);
        if (!person.occurs && hasOtherwise(metric)) continue;
        add(recorded, metric, 1);
        add(unanswered, metric, 1);
        record(metric, value);
      }
    },
    /** The wire name of the version that contexts opened from now on use. */
    wire: (): string => (schemas[version % schemas.length] as (typeof schemas)[number]).wire,
    agree: ({ telemetry, isClosing }: Context): void => {
      if (!isClosing) oracle.agreed();
      telemetry.consent.grant();
    },
    /** Contexts opened from now on use this version of the schema. */
    release: (next: number): void => {
      version = next;
    },
    /** Metrics with a record that has no outcome although its context was not killed. */
    silent: (): readonly string[] =>
      [...recorded].filter(([metric, count]) => count > (answered.get(metric) ?? 0) + (excused.get(metric) ?? 0)).map(([metric]) => metric),
    wait: async (milliseconds: number): Promise<void> => {
      const end = clock.now() + milliseconds;
      // Sealing takes no time of this clock. So through a relay it stops at each timer, until that has had its effect.
      const stops = (): readonly number[] => (setup.family === 'relayed' ? timers.filter((at) => at > clock.now() && at < end) : []);
      for (let at = stops(); at.length > 0; at = stops()) {
        clock.advance(Math.min(...at) - clock.now());
        await settle();
      }
      clock.advance(end - clock.now());
      await settle();
    },
    /** Runs everything that is not waiting for anything. */
    settle: async (): Promise<void> => {
      await settle();
      if (storage.health() === 'held') return;
      for (const context of contexts) {
        if (context?.owed.length && !context.isAway) oracle.failures.push(`a report of ${context.owed[0]} lost, and not said to be`);
      }
    },
  };
}
