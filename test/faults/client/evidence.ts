/** What is seen of a device from outside: all that it stored, sent and said, and what is wrong with it at once. */

import type { Outcome, Upload } from '@murmuration/client';
import { ACCEPTED_DAYS, type Batch, dayNumber, parseDay } from '@murmuration/shared';
import { SENTINELS } from './device-schemas.ts';

/** A report as it went out: the first time that its batch was tried. */
export interface Sent {
  readonly batch: string;
  readonly metric: string;
  readonly day: number;
  /** The schema's name on the wire. */
  readonly schema: string;
  /** The storage life that it was sent in: an eviction, which nobody can see, begins another. */
  readonly life: number;
}

interface Stored {
  readonly day: number;
  readonly accounts: { readonly [metric: string]: { readonly day: number; readonly epoch?: { readonly symbol: string } } };
  readonly outbox: readonly Pick<Batch, 'batch' | 'day' | 'reports'>[];
}

export interface Evidence {
  /** Outcomes, writes, timers and uploads with their times and sizes: the same for any two histories of values. */
  readonly trace: string[];
  /** What was found wrong. */
  readonly failures: string[];
  readonly sent: readonly Sent[];
  /** Cells that were said to be recorded, and neither said nor known to be dropped since. */
  readonly recorded: ReadonlySet<string>;
  /** The symbol of the epoch that a permanent metric's report is of, by cell. */
  readonly epochs: ReadonlyMap<string, string>;
  readonly wrote: (page: string, text: string) => void;
  readonly uploaded: (page: string, upload: Upload, agreed: boolean) => void;
  readonly said: (page: string, outcome: Outcome) => void;
  /** The greatest day that the clock has shown. */
  readonly greatestDay: () => number;
  /** What is erased on purpose, or with the storage: all that was recorded. */
  readonly erased: () => void;
  /** Another storage life begins. */
  readonly reborn: () => void;
}

/** The cell of a report: a device has at most one in each. */
export const cellOf = ({ life, metric, day }: Pick<Sent, 'life' | 'metric' | 'day'>): string => `${life} ${metric} ${day}`;

/**
 * @param now the time of the device's clock
 * @param stored what the storage holds
 */
export function createEvidence(now: () => number, stored: () => string | null): Evidence {
  const trace: string[] = [];
  const failures: string[] = [];
  const sent: Sent[] = [];
  const tried = new Set<string>();
  const recorded = new Set<string>();
  const dropped = new Set<string>(); // metric, and the day on which its older reports expired
  const epochs = new Map<string, string>();
  let life = 0;
  let lastDay = 0; // as stored
  let greatest = 0;
  const note = (page: string, what: string): void => void trace.push(`${now()} ${page} ${what}`);
  const greatestDay = (): number => {
    greatest = Math.max(greatest, dayNumber(now()));
    return greatest;
  };
  const find = (what: string): void => void failures.push(what);
  const assertNoValue = (where: string, text: string): void => {
    if (SENTINELS.some((value) => text.includes(value))) find(`a raw value is ${where}`);
  };
  const parsed = (): Stored => JSON.parse(stored() ?? '{"day":0,"accounts":{},"outbox":[]}') as Stored;

  return {
    trace,
    failures,
    sent,
    recorded,
    epochs,
    wrote: (page, text) => {
      note(page, 'writes');
      assertNoValue('in storage', text);
      const { day: held, accounts } = JSON.parse(text) as Stored;
      if (held < lastDay) find('the last day went back');
      lastDay = held;
      for (const [metric, { day, epoch }] of Object.entries(accounts)) {
        if (epoch === undefined) continue;
        const key = cellOf({ life, metric, day });
        if ((epochs.get(key) ?? epoch.symbol) !== epoch.symbol) find(`two epochs of ${metric} on one day`);
        epochs.set(key, epoch.symbol);
      }
    },
    uploaded: (page, { body }, agreed) => {
      const { batch, day, schema, reports } = JSON.parse(body) as Batch;
      note(page, `uploads ${batch} of ${body.length} characters`);
      assertNoValue('on the wire', body);
      if (!agreed) find('an upload without consent');
      const kept = parsed().outbox.some((other) => other.batch === batch && other.reports.length === reports.length);
      if (!kept) find('an upload of what is not stored');
      if (tried.has(batch)) return;
      tried.add(batch);
      for (const [metric] of reports) sent.push({ batch, metric, day: parseDay(day) as number, schema, life });
    },
    said: (page, { metric = '', result }) => {
      note(page, `says ${result} ${metric}`);
      if (result === 'storage-reset') recorded.clear();
      if (result === 'recorded') {
        const stored = parsed().outbox.filter(({ reports }) => reports.some(([name]) => name === metric));
        for (const { day } of stored) recorded.add(cellOf({ life, metric, day: parseDay(day) as number }));
      }
      // What has expired may still be in storage, until a slow write is through.
      if (result === 'expired') dropped.add(`${metric} ${greatestDay()}`);
      for (const last of dropped) {
        const [expired, day] = last.split(' ');
        for (const cell of recorded) {
          const [, of, recordedOn] = cell.split(' ');
          if (of === expired && Number(recordedOn) < Number(day) - ACCEPTED_DAYS.before) recorded.delete(cell);
        }
      }
    },
    greatestDay,
    erased: () => recorded.clear(),
    reborn: () => {
      life++;
      lastDay = 0;
    },
  };
}
