/**
 * A fleet of devices that run the shipped client on a clock of their own, and what arrives at a collector: each report with its date and the
 * times of its uploads. Devices open the app by a habit, and may be offline; the collector may answer 503.
 */

import { hash } from 'node:crypto';
import {
  createTelemetry,
  type Delivery,
  type DeviceQuestions,
  defineSchema,
  flag,
  memoryStorage,
  permanent,
  type Schema,
  type Storage,
  text,
} from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import type { Sending } from '@murmuration/shared';
import { parseState } from '#client/ledger/state.ts';
import { type Uniform, uniforms } from '../random.ts';
import { DAY, type Habit, HOUR, type Outage } from './habits.ts';

/** 2026-11-20 */
const START = 20_777 * DAY;

export interface Fleet {
  readonly habit: Habit;
  readonly schema: Asked;
  readonly devices: number;
  readonly days: number;
  /** When the collector answers 503. */
  readonly down?: readonly Outage[];
  /** When a device is offline. */
  readonly offline?: (random: Uniform) => readonly Outage[];
  /** True if reports go through a relay, so that each waits for its moment. */
  readonly isRelayed?: boolean;
  /** True if each needs a token, which is asked for an hour before it leaves, when a visit finds that it is due. */
  readonly isTokened?: boolean;
  readonly seed: number;
}

/** A report that arrived at the collector at least once, whatever it answered. */
export interface Sighting {
  readonly device: number;
  readonly metric: string;
  readonly batch: string;
  readonly day: string;
  readonly times: readonly number[];
}

/** What a fleet has sent. */
export interface Arrivals {
  readonly sightings: readonly Sighting[];
  /** Uploads that reached the collector. */
  readonly requests: number;
  /** Reports that devices made, and those that were acknowledged. */
  readonly made: number;
  readonly delivered: number;
}

const ask = { epsilon: 1, description: 'a question' } as const;
const base = { app: 'notes', version: 1 } as const;

/** A schema, and a value for each of its metrics. */
interface Asked {
  readonly schema: Schema<DeviceQuestions>;
  readonly value: (random: Uniform) => unknown;
}

/** Twelve flags once a month, of which a device answers six. */
export const sixOfTwelve = (reports: Sending): Asked => ({
  schema: defineSchema({
    ...base,
    reports,
    budget: { epsilon: 6, per: 'month' },
    assign: 'random',
    metrics: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`m${i}`, flag(ask)])),
  }),
  value: (random) => random() < 0.5,
});

/** Two permanent texts each day. */
export const twoTexts = (reports: Sending): Asked => {
  const kept = (): ReturnType<typeof text> => permanent(text({ ...ask, every: 'day' }), { epsilon: 4, renew: 'year' });
  return {
    schema: defineSchema({ ...base, reports, budget: { epsilon: 8, per: 'month' }, metrics: { home: kept(), site: kept() } }),
    value: (random) => `page ${Math.floor(random() * 100)}`,
  };
};

/** The moment of a batch that goes through a relay, as `relayTransport` draws it: in the 24 hours after its day. */
export const momentIn = (batch: string, day: string): number =>
  Date.parse(day) + DAY + (hash('sha256', `relay ${batch}`, 'buffer').readUIntBE(0, 6) / 2 ** 48) * DAY;

const isIn = (outages: readonly Outage[], time: number): boolean => outages.some(([from, to]) => from <= time && time < to);

/** Lets promises settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The life of one device: each visit opens a page, records every metric, and leaves the page. */
async function live(fleet: Fleet, device: number) {
  const { schema, value } = fleet.schema;
  const random = uniforms(fleet.seed * 1_000_003 + device);
  const offline = fleet.offline?.(random) ?? [];
  const visits = [...fleet.habit(fleet.days, random)].sort((a, b) => a.at - b.at);
  const storage: Storage = { ...memoryStorage(), suspend: () => {} }; // as a page's: what leaves it is not written
  const seen = new Map<string, { batch: string; metric: string; day: string; times: number[] }>();
  const tokens = new Map<string, number>();
  let [requests, made, delivered, now] = [0, 0, 0, START];
  for (const [i, { at, lasting }] of visits.entries()) {
    let timers: { readonly at: number; readonly run: () => unknown }[] = [];
    let happen = (_event: 'flush' | 'leave' | 'return'): unknown => undefined;
    now = Math.max(now, START + at);
    const end = now + lasting;
    const telemetry = createTelemetry({
      schema,
      endpoint: 'https://t.example.com',
      consent: 'granted',
      storage,
      debug: false,
      rng: seededRng((fleet.seed * 1_000_003 + device) * 1_009 + i),
      onOutcome: ({ result }) => {
        if (result === 'recorded') made++;
        if (result === 'delivered') delivered++;
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
      lifecycle: (tell) => {
        happen = tell;
        return () => {};
      },
      transport: async ({ body }): Promise<Delivery> => {
        if (isIn(offline, now - START)) return { status: 0 };
        const { batch, day, reports } = JSON.parse(body) as { batch: string; day: string; reports: [string, string][] };
        if (fleet.isTokened) {
          const text = await storage.transact('murmuration:notes', (stored) => ({ next: undefined, result: stored }));
          for (const due of parseState(text ?? '')?.outbox ?? [])
            if (due.day <= now / DAY && !tokens.has(due.batch)) tokens.set(due.batch, now);
          if (now - (tokens.get(batch) ?? now) < HOUR) return { status: 425 };
        }
        if (fleet.isRelayed && now < momentIn(batch, day)) return { status: 425 };
        requests++;
        for (const [metric] of reports) {
          const report = seen.get(`${batch} ${metric}`) ?? { batch, metric, day, times: [] };
          report.times.push(now);
          seen.set(`${batch} ${metric}`, report);
        }
        return { status: isIn(fleet.down ?? [], now - START) ? 503 : 204 };
      },
    });
    for (const metric of Object.keys(schema.questions)) telemetry.record(metric, value(random) as never);
    await settle();
    for (;;) {
      const [next] = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      timers = timers.filter((timer) => timer !== next);
      now = Math.max(now, next.at);
      next.run();
      await settle();
    }
    now = end;
    happen('leave');
    await settle();
  }
  return { seen: [...seen.values()].map((report) => ({ device, ...report })), requests, made, delivered };
}

/** What arrives from a fleet. */
export async function arrivalsOf(fleet: Fleet): Promise<Arrivals> {
  const lives: Awaited<ReturnType<typeof live>>[] = [];
  for (let device = 0; device < fleet.devices; device++) lives.push(await live(fleet, device));
  const sum = (of: 'requests' | 'made' | 'delivered'): number => lives.reduce((total, life) => total + life[of], 0);
  return { sightings: lives.flatMap(({ seen }) => seen), requests: sum('requests'), made: sum('made'), delivered: sum('delivered') };
}
