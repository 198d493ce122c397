/** A device with its pages: the shipped client through its public interface, on a storage, a network and a clock that fail. */

import { createTelemetry, type DeviceQuestions, type Rng, type Telemetry } from '@murmuration/client';
import { fakeClock } from '@murmuration/client/testing';
import { dayNumber } from '@murmuration/shared';
import { families, METRICS, people } from './device-schemas.ts';
import { createDisk, type Life } from './disk.ts';
import { createEvidence, type Source } from './evidence.ts';
import { createLog, type Log } from './log.ts';
import { createManners, type Manners } from './manners.ts';
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
  /** Whether a page hears what others store. */
  readonly news: boolean;
  readonly tabs: 1 | 2;
  readonly consent: 'ask' | 'granted';
  readonly family: keyof typeof families;
  readonly upload: 'soon' | 'later';
  readonly sample: number;
  readonly batchesPerDay: number;
}

/** How a device is lived. */
export interface Person {
  /** Which of the people answers. */
  readonly answers: number;
  /** Whether metrics with `otherwise` are recorded when the story says so. */
  readonly occurs: boolean;
  readonly rng: (seed: number) => Rng;
}

/** A page that is open. */
export interface Page extends Life {
  readonly source: Source;
  readonly telemetry: Telemetry<DeviceQuestions>;
  readonly log: Log;
  readonly manners: Manners;
  /** Whether it has read the ledger, and so holds the lock where there is one. */
  isOpen: boolean;
  isClosing: boolean;
  /** Whether its version of the schema reports a metric for slots in which nothing was recorded. */
  readonly hasOtherwise: (metric: string) => boolean;
  readonly hide: () => unknown;
}

/** Lets promises settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export type Device = ReturnType<typeof createDevice>;

export function createDevice(setup: Setup, person: Person) {
  const clock = fakeClock(START);
  const disk = createDisk(setup.later, setup.lock, setup.tabs, setup.news);
  const network = createNetwork();
  const isAnswered = (batch: string): boolean => network.counted.has(batch) || network.refused.has(batch);
  const evidence = createEvidence(clock.now, setup.batchesPerDay, isAnswered);
  const schemas = families[setup.family];
  const metrics = METRICS[setup.family];
  const answer = people[person.answers] as (typeof people)[number];
  const pages: (Page | undefined)[] = [];
  const versions = new Set<number>();
  let version = 0;
  let started = 0;
  let nth = 0;
  let refusedAt = 0; // the last refusal that every page has heard of
  let erasedAt = 0; // the last that some page has obeyed since
  let isTime = false;

  const open = (tab: number): void => {
    let hidden = (): unknown => undefined;
    const schema = schemas[version % schemas.length] as (typeof schemas)[number];
    versions.add(version);
    const decision = disk.decision();
    const manners = createManners(
      clock.now,
      () => isTime,
      (what) => evidence.failures.push(what),
    );
    // Who has agreed again before anybody could write what a refusal leaves is not known to have refused.
    const log = createLog(evidence.moment, manners, decision, decision === 'granted' ? erasedAt : refusedAt, refusedAt);
    const agrees = (): boolean => page.telemetry.consent.state === 'granted';
    const source: Source = { ...log, name: `page ${tab}.${started}`, agrees };
    const page = {
      alive: true,
      fuse: undefined,
      die: () => {
        if (!page.alive) return;
        page.alive = false;
        disk.leave(page);
        pages[tab] = undefined;
      },
      source,
      log,
      manners,
      isOpen: false,
      isClosing: false,
      hasOtherwise: (metric) => schema.document.metrics[metric]?.otherwise !== undefined,
      hide: () => hidden(),
    } as Page;
    pages[tab] = page;
    const opened = (): void => {
      page.isOpen = true;
      log.opened();
    };
    const wrote = (text: string): void => {
      evidence.wrote(source, text);
      if (log.refusedAt() >= refusedAt && !evidence.holds(refusedAt)) erasedAt = refusedAt;
    };
    const decided = (text: string): void => {
      evidence.note(source, `decides ${text}`);
      if (!log.decided(text)) evidence.failures.push(`${text} is stored, and nobody has decided that`);
      if (text === 'granted' || (setup.tabs === 2 && !setup.news)) return; // a page without news goes on
      queueMicrotask(() => {
        refusedAt = evidence.moment();
      });
    };
    const telemetry = createTelemetry({
      schema,
      endpoint: '/t',
      consent: setup.consent,
      upload: setup.upload,
      sample: setup.sample,
      batchesPerDay: setup.batchesPerDay,
      storage: disk.open(page, { opened, unread: () => log.unread(erasedAt), wrote, decided, told: log.hears }),
      rng: person.rng(setup.seed * 1_000 + started++),
      transport: async (upload) => {
        if (!page.alive) return new Promise(() => {});
        evidence.uploaded(source, upload);
        return manners.sends(upload, network.sent.transport(upload));
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
          if (page.alive && !(milliseconds >= 0 && milliseconds <= LONGEST_TIMER))
            evidence.failures.push(`a timer of ${milliseconds} milliseconds`);
          return clock.after(milliseconds, () => page.alive && run());
        },
      },
      onOutcome: (outcome) => {
        if (!page.alive) return;
        log.said(outcome);
        // A page can't count as spent what it can't read: what other versions have promised, or a clock that went back.
        const isLost = versions.size > 1 || dayNumber(clock.now()) < evidence.greatestDay();
        if (outcome.result === 'storage-reset' && isLost) evidence.reborn();
        evidence.said(source, outcome);
      },
    });
    Object.assign(page, { telemetry });
  };

  return {
    setup,
    clock,
    disk,
    network,
    evidence,
    pages,
    metrics,
    open,
    record: (page: Page, chosen: readonly number[]): void => {
      const { record } = page.telemetry as unknown as { record(metric: string, value: unknown): void };
      for (const index of chosen) {
        const metric = metrics[index % metrics.length] as string;
        const value = answer(metric, nth++);
        if (!person.occurs && page.hasOtherwise(metric)) continue;
        page.log.records(metric);
        record(metric, value);
      }
    },
    decide: (page: Page, decision: 'grant' | 'deny' | 'forget'): void => {
      page.log.decides({ grant: 'granted', deny: 'denied', forget: 'forgotten' }[decision]);
      if (decision === 'forget') void page.telemetry.forget();
      else page.telemetry.consent[decision]();
    },
    /** Pages that open from now on have this version of the schema. */
    release: (next: number): void => {
      version = next;
    },
    /** What was stored is evicted, or ruined. */
    replace: (text: string | null): void => {
      evidence.lose();
      if (text === null) evidence.reborn();
      if (text === null) [refusedAt, erasedAt] = [0, 0];
      disk.replace(text);
    },
    /** Only time goes by. */
    wait: async (milliseconds: number): Promise<void> => {
      isTime = true;
      clock.advance(milliseconds);
      await settle();
      isTime = false;
    },
    /** Lets everything happen that waits for nothing. */
    settle: async (): Promise<void> => {
      await settle();
      evidence.greatestDay();
      for (const page of pages) {
        if (page === undefined) continue;
        if (disk.health() !== 'held') {
          page.manners.force(false); // what was asked for waits for the storage
          page.log.quiet();
        }
        const told = page.log.told();
        const { state } = page.telemetry.consent;
        if (told && !page.isClosing && state !== told) evidence.failures.push(`a page that says ${state} though the person has ${told}`);
      }
    },
  };
}
