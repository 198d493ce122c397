/** A device with its pages: the shipped client through its public interface, on a storage, a network and a clock that fail. */

import { createTelemetry, type DeviceQuestions, type Schema, type Telemetry } from '@murmuration/client';
import { fakeClock, seededRng } from '@murmuration/client/testing';
import { dayNumber } from '@murmuration/shared';
import { METRICS, people, schemas } from './device-schemas.ts';
import { createDisk, type Life } from './disk.ts';
import { createEvidence } from './evidence.ts';
import { createNetwork } from './network.ts';

const START = new Date('2026-11-20T08:00:00Z');
/** No pause may be longer: a timer of more than 2^31 milliseconds fires at once. */
const LONGEST_TIMER = 86_400_000;

/** What a device is like. */
export interface Setup {
  readonly seed: number;
  /** Whether the storage answers by promises. */
  readonly later: boolean;
  readonly lock: boolean;
  readonly tabs: 1 | 2;
  readonly consent: 'ask' | 'granted';
}

/** A page that is open. */
export interface Page extends Life {
  readonly telemetry: Telemetry<DeviceQuestions>;
  /** Whether it has read the ledger, and so holds the lock where there is one. */
  isOpen: boolean;
  /** How often it was asked to record, and how often it said what came of it. */
  records: number;
  answered: number;
  /** How many records or reports waited too long. */
  expired: number;
  denied: boolean;
  /** Refused while another page held the ledger, or the storage did not answer: the outbox goes when it does. */
  erases: boolean;
  readonly hide: () => unknown;
}

/** Lets promises settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export type Device = ReturnType<typeof createDevice>;

export function createDevice(setup: Setup, person: number) {
  const clock = fakeClock(START);
  const disk = createDisk(setup.later, setup.lock, setup.tabs);
  const network = createNetwork();
  const evidence = createEvidence(clock.now, disk.text);
  const pages: (Page | undefined)[] = [];
  const versions = new Set<number>();
  let version = 0;
  let started = 0;
  let nth = 0;
  const answer = people[person] as (typeof people)[number];

  const open = (tab: number): void => {
    const name = `page ${tab}.${started}`;
    const life: Life = {
      alive: true,
      fuse: undefined,
      die: () => {
        if (!life.alive) return;
        life.alive = false;
        disk.leave(life);
        pages[tab] = undefined;
        if (page.erases) evidence.erased();
      },
    };
    let hidden = (): unknown => undefined;
    versions.add(version);
    const telemetry = createTelemetry({
      schema: schemas[version] as unknown as Schema<DeviceQuestions>,
      endpoint: '/t',
      consent: setup.consent,
      storage: disk.open(life, (text) => evidence.wrote(name, text)),
      rng: seededRng(setup.seed * 1_000 + started++),
      transport: async (upload) => {
        if (!life.alive) return new Promise(() => {});
        evidence.uploaded(name, upload, telemetry.consent.state === 'granted');
        return network.sent.transport(upload);
      },
      lifecycle: (listener) => {
        hidden = listener;
        return () => {
          hidden = () => undefined;
        };
      },
      clock: {
        now: clock.now,
        after: (milliseconds, run) => {
          if (life.alive && !(milliseconds >= 0 && milliseconds <= LONGEST_TIMER))
            evidence.failures.push(`a timer of ${milliseconds} milliseconds`);
          return clock.after(milliseconds, () => life.alive && run());
        },
      },
      onOutcome: (outcome) => {
        if (!life.alive) return;
        if (outcome.result === 'storage-reset' && (versions.size > 1 || dayNumber(clock.now()) < evidence.greatestDay())) evidence.reborn();
        if (!['delivered', 'refused', 'expired', 'storage-reset'].includes(outcome.result)) page.answered++;
        if (outcome.result === 'expired') page.expired++;
        evidence.said(name, outcome);
      },
    });
    const page: Page = Object.assign(life, {
      telemetry,
      isOpen: false,
      records: 0,
      answered: 0,
      expired: 0,
      denied: false,
      erases: false,
      hide: () => hidden(),
    });
    void telemetry.ledger().then(() => {
      page.isOpen = true;
    });
    pages[tab] = page;
  };

  return {
    setup,
    clock,
    disk,
    network,
    evidence,
    pages,
    open,
    record: (page: Page, metrics: readonly number[]): void => {
      const { record } = page.telemetry as unknown as { record(metric: string, value: unknown): void };
      for (const index of metrics) {
        const metric = METRICS[index] as (typeof METRICS)[number];
        page.records++;
        record(metric, answer(metric, nth++));
      }
    },
    decide: (page: Page, agrees: boolean): void => {
      page.telemetry.consent[agrees ? 'grant' : 'deny']();
      if (agrees) return;
      page.erases = true;
      page.denied = true;
      evidence.erased();
    },
    /** Pages that open from now on have this version of the schema. */
    release: (next: number): void => {
      version = next;
    },
    /** Lets everything happen that waits for nothing. */
    settle: async (): Promise<void> => {
      await settle();
      evidence.greatestDay();
      for (const page of pages) {
        if (!page?.erases) continue;
        evidence.erased();
        page.erases = !page.isOpen || disk.isHeld();
      }
    },
  };
}
