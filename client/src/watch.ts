/**
 * The view that a development panel has of its page: each telemetry, and what became of each record. Like explain.ts, this file is not part of
 * production bundles. While a panel is open, the true answer of each record stands beside its randomized report: in this memory only. It is
 * never stored, sent or printed, and it is gone when the panel closes.
 */

import { isPage } from './adapters/lifecycle.ts';
import type { Explained } from './explain.ts';
import type { State } from './ledger/state.ts';
import { attempt } from './maybe.ts';
import type { DeviceQuestions } from './questions/question.ts';
import type { Outcome, Telemetry } from './types.ts';
import { saidBy } from './view.ts';

/** A call of `record`, or a report of an earlier page, and what became of it. */
export interface Entry {
  readonly metric: string | undefined;
  result?: Outcome['result'];
  /** The outcome that the report had later. */
  later?: Outcome['result'];
  /** The answers that the report names; none if it is noise. Only for what was recorded. */
  said?: readonly string[];
}

/** A true answer. */
export interface Truth {
  readonly value: string;
  /** The label of the answer, as in `said`, if the question has one for it. */
  readonly label: string | undefined;
}

/** A telemetry of this page. */
export interface Watched {
  readonly schema: Explained['schema'];
  readonly telemetry: Pick<Telemetry<DeviceQuestions>, 'consent' | 'look' | 'flush' | 'reset'>;
  /** The latest comes last. */
  readonly entries: Entry[];
}

/** The most entries of a telemetry that are kept. */
const MOST = 50;
/** Characters of a value that are shown. */
const LONGEST = 60;

/** Results of batches and slots, which answer no `record`. */
const LATER: readonly Outcome['result'][] = ['begun', 'delivered', 'refused', 'expired', 'dropped'];

const watched = new Set<Watched>();
const entriesOf = new WeakMap<object, Entry[]>();
const panels = new Set<() => void>();
/** The one place of true answers. It is empty unless a panel is open. */
let truths = new WeakMap<Entry, Truth>();
/** The entry whose `record` is running. */
let current: Entry | undefined;

const tell = (): void => panels.forEach((update) => void attempt(update));

function entriesFor(options: object): Entry[] {
  const entries = entriesOf.get(options) ?? [];
  entriesOf.set(options, entries);
  return entries;
}

function add(entries: Entry[], entry: Entry): Entry {
  entries.push(entry);
  if (entries.length > MOST) entries.shift();
  return entry;
}

function truthOf({ schema: { document, questions } }: Explained, metric: string, value: unknown): Truth {
  const text = typeof value === 'string' ? value : (attempt(() => JSON.stringify(value)) ?? typeof value);
  const label = attempt(() => {
    const law = document.metrics[metric]?.law;
    return law && questions[metric]?.labels(law)[questions[metric].input(value as never) as number];
  });
  return { value: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text, label };
}

/** Lets panels look at a telemetry of this page, until it is closed. A server's is left as it is. */
export function watch<M extends DeviceQuestions>(options: Explained, telemetry: Telemetry<M>): Telemetry<M> {
  if (!isPage()) return telemetry;
  const entries = entriesFor(options);
  const one: Watched = { schema: options.schema, telemetry: telemetry as never, entries };
  watched.add(one);
  telemetry.consent.subscribe(tell);
  tell();
  return {
    ...telemetry,
    record: (metric, value) => {
      const before = current;
      const entry = add(entries, { metric });
      if (panels.size > 0) truths.set(entry, truthOf(options, metric, value));
      current = entry;
      telemetry.record(metric, value);
      current = before;
      tell();
    },
    close: () => {
      watched.delete(one);
      tell();
      return telemetry.close();
    },
  };
}

/** Notes an outcome beside the record that it is about. */
export function observe(options: Explained, { result, metric }: Outcome, { outbox }: State): void {
  if (!isPage()) return;
  const entries = entriesFor(options);
  const isLater = LATER.includes(result);
  const about = entries.filter((each) => each.metric === metric);
  const pending = current?.metric === metric ? current : about.find((each) => each.result === undefined);
  const recorded = about.findLast((each) => each.result === 'recorded' && each.later === undefined);
  const entry = (isLater ? recorded : pending) ?? recorded ?? add(entries, { metric });
  if (entry === pending || entry.result === undefined) entry.result = result;
  else entry.later = result;
  if (result === 'recorded' && metric !== undefined) {
    const [, report] = outbox.flatMap(({ reports }) => reports).findLast(([name]) => name === metric) ?? [];
    if (report !== undefined) entry.said = saidBy(options.schema, metric, report);
  }
  tell();
}

/** A panel's view of its page. */
export interface Watching {
  /** The telemetries that are not closed, in the order of their creation. */
  readonly all: () => readonly Watched[];
  /** The true answer of a record. Undefined if no panel was open. */
  readonly truthOf: (entry: Entry) => Truth | undefined;
  /** Ends it. The last panel that closes takes all true answers with it. */
  readonly end: () => void;
}

/** Watches this page. `update` is called when something has changed. */
export function watchPage(update: () => void): Watching {
  panels.add(update);
  return {
    all: () => [...watched],
    truthOf: (entry) => truths.get(entry),
    end: () => {
      panels.delete(update);
      if (panels.size === 0) truths = new WeakMap();
    },
  };
}
