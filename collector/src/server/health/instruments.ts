/**
 * The numbers of `/metrics`, in the text format of Prometheus. No label is chosen by a client: routes, statuses and reasons are those of
 * this program.
 */

import { ACCEPTED_DAYS } from '@murmuration/shared';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Commit } from '../../storage/store.ts';
import { processRegistry } from './process-registry.ts';

/** The kinds of routes by which answers are counted. `connection`: answers to what reached no route. */
export type Route = 'reports' | 'read' | 'connection';

/** A number that is looked up when it is asked for. */
export interface Reading {
  readonly name: string;
  readonly help: string;
  /** Undefined when it is not known now; it is then left out. */
  readonly read: () => number | undefined | Promise<number | undefined>;
}

/** Counters of a collector. */
export interface Instruments {
  readonly answered: (route: Route, status: number, reason: string) => void;
  readonly committed: (commit: Commit) => void;
  /** Records how many days the day of a batch is from the collector's day; negative for days that are over. */
  readonly skewed: (days: number) => void;
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** Seconds: from a commit on a fast disk to one that a client would notice. */
const COMMIT_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const COMMIT_BATCHES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];
/** Labels of a sample. */
type Labels<Name extends string> = Partial<Record<Name, string | number>>;

/** Counts by labels. Counting here and telling the library when it is asked takes a tenth of the time, and each batch is counted twice. */
function createTally<Name extends string>(): {
  readonly count: (key: string | number, labels: () => Labels<Name>) => void;
  readonly collect: (this: Counter<Name>) => void;
} {
  const kinds = new Map<string | number, { readonly labels: Labels<Name>; count: number }>();
  return {
    count: (key, labels) => {
      const kind = kinds.get(key);
      if (kind === undefined) kinds.set(key, { labels: labels(), count: 1 });
      else kind.count++;
    },
    collect() {
      this.reset();
      for (const { labels, count } of kinds.values()) this.inc(labels, count);
    },
  };
}

/** Creates the counters, with gauges for the readings. */
export function createInstruments(readings: readonly Reading[]): Instruments {
  const registry = new Registry();
  const registers = [registry];
  const answers = createTally<'route' | 'status' | 'reason'>();
  new Counter({
    name: 'murmuration_answers_total',
    help: 'Answers by kind of route, status, and reason of the refusal',
    labelNames: ['route', 'status', 'reason'],
    registers,
    collect: answers.collect,
  });
  const seconds = new Histogram({
    name: 'murmuration_commit_seconds',
    help: 'Time of a commit, from its start until it is on the disk',
    buckets: COMMIT_SECONDS,
    registers,
  });
  const batches = new Histogram({
    name: 'murmuration_commit_batches',
    help: 'Batches that shared a commit',
    buckets: COMMIT_BATCHES,
    registers,
  });
  const counted = new Counter({ name: 'murmuration_batches_counted_total', help: 'Batches that were counted', registers });
  const days = createTally<'days'>();
  new Counter({
    name: 'murmuration_batch_days_total',
    help: "Batches by days from the collector's day to theirs, accepted or not; -15 is all that are too old, 2 all that are too far ahead",
    labelNames: ['days'],
    registers,
    collect: days.collect,
  });
  for (const { name, help, read } of readings) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read();
        if (value === undefined) this.reset();
        else this.set(value);
      },
    });
  }
  return {
    answered: (route, status, reason) => answers.count(`${route} ${status} ${reason}`, () => ({ route, status, reason })),
    committed: (commit) => {
      seconds.observe(commit.seconds);
      batches.observe(commit.batches);
      counted.inc(commit.counted);
    },
    skewed: (skew) => {
      const shown = Math.max(-ACCEPTED_DAYS.before - 1, Math.min(ACCEPTED_DAYS.after + 1, skew));
      days.count(shown, () => ({ days: shown }));
    },
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}\n${await processRegistry().metrics()}`,
  };
}
