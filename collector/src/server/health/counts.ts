/**
 * The numbers of `/metrics`, in the text format of Prometheus. No label is chosen by a client: routes, statuses and reasons are those of
 * this program, and the names of relays are the operator's.
 */

import { ACCEPTED_DAYS } from '@murmuration/shared';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Refusal } from '../../base/refusal.ts';
import type { Relayed } from '../../ingest/gateway.ts';
import type { Commit } from '../../storage/store.ts';

/** The kinds of routes by which answers are counted. `connection`: answers to what reached no route. */
type Route = 'reports' | 'read' | 'connection';

/** A number that is looked up when it is asked for. */
export interface Reading {
  readonly name: string;
  readonly help: string;
  /** Undefined when it is not known now; it is then left out. */
  readonly read: () => number | undefined | Promise<number | undefined>;
}

/** Counters of a collector. */
export interface Counts {
  /** Counts an answer, and logs the first refusal of each kind. */
  readonly answered: (route: Route, status: number, refusal?: Refusal) => void;
  /** Logs an error of a request, unless its kind was logged a while ago. */
  readonly failed: (error: unknown) => void;
  readonly committed: (commit: Commit) => void;
  /** Records how many days the day of a batch is from the collector's day; negative for days that are over. */
  readonly skewed: (days: number) => void;
  readonly relayed: Relayed;
  /** Adds numbers that are looked up when they are asked for. */
  readonly watch: (readings: readonly Reading[]) => void;
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

/** Creates the counters. */
export function createCounts(log: Logger): Counts {
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
  const messages = createTally<'relay' | 'result'>();
  new Counter({
    name: 'murmuration_relay_messages_total',
    help: 'Messages by the relay that brought them: opened, unopened for want of a key, or limited. What was in them is among the answers',
    labelNames: ['relay', 'result'],
    registers,
    collect: messages.collect,
  });
  const refused = createRefusalLog(log);
  return {
    answered: (route, status, refusal) => {
      const reason = refusal?.code ?? 'none';
      answers.count(`${route} ${status} ${reason}`, () => ({ route, status, reason }));
      if (refusal !== undefined) refused(refusal);
    },
    failed: createFailureLog(log),
    watch: (readings) => {
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
    },
    committed: (commit) => {
      seconds.observe(commit.seconds);
      batches.observe(commit.batches);
      counted.inc(commit.counted);
    },
    skewed: (skew) => {
      const shown = Math.max(-ACCEPTED_DAYS.before - 1, Math.min(ACCEPTED_DAYS.after + 1, skew));
      days.count(shown, () => ({ days: shown }));
    },
    relayed: (relay, result) => messages.count(`${result} ${relay}`, () => ({ relay, result })),
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}\n${await processRegistry().metrics()}`,
  };
}

// The numbers of this process: memory, CPU time, event-loop lag. A process that runs several collectors has them once.

let processNumbers: Registry | undefined;

/** Measuring begins with the first call, so a collector that nobody watches does not pay for it. */
function processRegistry(): Registry {
  if (processNumbers === undefined) {
    processNumbers = new Registry();
    collectDefaultMetrics({ register: processNumbers });
  }
  return processNumbers;
}

// Logs the first refusal and the first failure of each kind, and later how many there were, so that an operator sees what clients run into. A
// line has no address, no body and no time. Nobody can fill the log: the kinds are few.

/** Milliseconds between two lines about the same kind. */
const INTERVAL = 600_000;

interface Seen {
  at: number;
  count: number;
}

/**
 * Returns the function that counts kinds, and calls `tell` with the count of one that was not told for a while.
 *
 * @param elapsed milliseconds of a clock that nobody sets
 */
function sparingly(elapsed: () => number): (kind: string, tell: (times: number) => void) => void {
  const kinds = new Map<string, Seen>();
  return (kind, tell) => {
    const seen = kinds.get(kind) ?? { at: Number.NEGATIVE_INFINITY, count: 0 };
    kinds.set(kind, seen);
    seen.count++;
    const now = elapsed();
    if (now - seen.at < INTERVAL) return;
    tell(seen.count);
    [seen.at, seen.count] = [now, 0];
  };
}

/** Returns the function to call for each refusal. */
export function createRefusalLog(log: Logger, elapsed: () => number = () => performance.now()): (refusal: Refusal) => void {
  const count = sparingly(elapsed);
  return ({ status, code, expected }) =>
    count(code, (times) => log.warn({ status, code, expected, times }, 'refused; this kind is logged once in ten minutes'));
}

/** Returns the function to call for each failure. A kind is an error's name and code, and the place where it was thrown. */
function createFailureLog(log: Logger): (error: unknown) => void {
  const count = sparingly(() => performance.now());
  return (error) => {
    const { name = '', code = '', stack = '' } = error as NodeJS.ErrnoException;
    const place = stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
    count(`${name} ${code}${place}`, (times) =>
      log.error({ err: error, times }, 'a request failed; this kind is logged once in ten minutes'),
    );
  };
}
