/**
 * The books of a device: each report that its storage ever held, from the write that shows it first to what became of it. A
 * report is known by its batch, its metric and the day of its claim.
 */

import { type Batch, DAYS, parseDay, toBase64url } from '@murmuration/shared';
import { documents } from './device-schemas.ts';

type Stored = readonly [metric: string, bytes: readonly number[], otherwise: true | null];

/** What a device stores, as far as its books go. */
export interface StoredState {
  readonly day: number;
  readonly accounts: {
    readonly [metric: string]: { readonly day: number; readonly epoch?: { readonly day: number; readonly symbol: string } };
  };
  readonly draw?: number;
  readonly order?: readonly string[];
  readonly outbox: readonly (Pick<Batch, 'batch' | 'day' | 'schema'> & { readonly reports: readonly Stored[] })[];
}

/** A report. */
export interface Cell {
  readonly batch: string;
  readonly metric: string;
  /** The day on which its slot was claimed. */
  readonly day: number;
  /** The schema's name on the wire. */
  readonly schema: string;
  /** The storage life: an eviction, which nobody can see, begins another. */
  readonly life: number;
  /** The epoch that a permanent metric's report is of. */
  epoch: string | undefined;
  /** When it was recorded, in the order of records and refusals: the earliest and the latest that it may have been. */
  since: number;
  until: number;
}

/** What a page may say in excuse of a report that is gone, or not. */
export interface Writer {
  /** When all was last written that had happened. */
  readonly quietAt: () => number;
  /** When the metric was last recorded on this page. */
  readonly recordedAt: (metric: string) => number | undefined;
  /** When the page last said that a report of the metric could not be stored. */
  readonly failedAt: (metric: string) => number;
  /** Whether the page could not read what is stored, or was to forget it. */
  readonly wasReset: () => boolean;
  /** Whether the page has said that a report of the metric is gone; it says so once for each. */
  readonly excuse: (metric: string) => boolean;
  /** What was recorded before this may be erased. */
  readonly mayErase: () => number;
}

export interface Books {
  /** Compares what is stored with what was. */
  readonly wrote: (text: string, writer: Writer) => void;
  /** The reports of a batch that is on its way; none where the storage holds another batch of that id, or none. */
  readonly sent: (batch: Batch) => readonly Cell[];
  /** A report of the metric is said to be stored; or it went while the storage was held, and was said to. */
  readonly claimed: (metric: string, writer: Writer) => void;
  /** Whether something is stored that was recorded no later than this. */
  readonly holds: (moment: number) => boolean;
  /** What was written last, and is there still. */
  readonly state: () => StoredState;
  /** What is stored is ruined. */
  readonly lose: () => void;
  /** Another storage life begins: nobody can know what was claimed before. */
  readonly reborn: () => void;
}

/** The most that a device may store: batches, and characters with the accounts and one more report of the longest. */
const MOST_BATCHES = 100;
const MOST_CHARACTERS = 530_000;

const EMPTY: StoredState = { day: 0, accounts: {}, outbox: [] };
/** The reports of one list that have no equal in the other. */
function minus(reports: readonly Stored[], others: readonly Stored[]): Stored[] {
  const left = others.map((other) => JSON.stringify(other));
  return reports.filter((report) => {
    const at = left.indexOf(JSON.stringify(report));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
/** Whether a report of the metric may stand for `otherwise`: then one may have failed, and an answer to the same slot not. */
const mayBegin = (schema: string, metric: string): boolean => documents.get(schema)?.metrics[metric]?.otherwise !== undefined;
/** Whether a sample, or the order of metrics that a device had drawn, is another; an order may take in new metrics. */
const isRedrawn = (before: StoredState, next: StoredState): boolean =>
  (before.draw !== undefined && next.draw !== undefined && before.draw !== next.draw) ||
  (next.order !== undefined &&
    before.order?.join() !== undefined &&
    next.order.filter((name) => before.order?.includes(name)).join() !== before.order.join());
/** Days from the claim of a report that stands for `otherwise` to its date. */
const slotOf = (schema: string, metric: string): number => DAYS[documents.get(schema)?.metrics[metric]?.every ?? 'day'];
const wireOf = (reports: readonly Stored[]): string =>
  JSON.stringify(reports.map(([metric, bytes]) => [metric, toBase64url(Uint8Array.from(bytes))]));

/**
 * @param find takes what is wrong
 * @param now the next moment, in the order of records and refusals
 * @param isAnswered whether the collector has said its last word on a batch
 */
export function createBooks(find: (what: string) => void, now: () => number, isAnswered: (batch: string) => boolean): Books {
  const cells = new Map<string, Cell>(); // by life, metric and day of claim
  const bodies = new Map<string, string>(); // what was sent of a batch
  const sentEpochs = new Map<string, string>(); // the symbol of each epoch that was answered from
  let waiting: Cell[] = []; // what is stored
  let state = EMPTY;
  let life = 0;
  const take = (batch: string, metric: string): Cell | undefined => {
    const cell = waiting.find((one) => one.batch === batch && one.metric === metric);
    waiting = waiting.filter((one) => one !== cell);
    return cell;
  };
  const epochOf = ({ accounts }: StoredState, metric: string): string | undefined => {
    const epoch = accounts[metric]?.epoch;
    return epoch && `${metric} ${epoch.day} ${epoch.symbol}`;
  };

  return {
    wrote: (text, { quietAt, recordedAt, failedAt, wasReset, excuse, mayErase }) => {
      const next = JSON.parse(text) as StoredState;
      if (next.outbox.length > MOST_BATCHES) find(`${next.outbox.length} batches stored, expected at most ${MOST_BATCHES}`);
      if (text.length > MOST_CHARACTERS) find(`${text.length} characters stored, expected at most ${MOST_CHARACTERS}`);
      if (next.day < state.day) find('the last day went back');
      if (!wasReset() && isRedrawn(state, next)) find('what a device takes part in was drawn again');
      for (const [metric, { epoch }] of Object.entries(next.accounts)) {
        const began = `${life} ${metric} ${epoch?.day}`;
        if (epoch && (sentEpochs.get(began) ?? epoch.symbol) !== epoch.symbol) find(`two symbols in an epoch of ${metric}`);
      }
      const left = state.outbox.filter(({ batch }) => !next.outbox.some((other) => other.batch === batch));
      const isNew = new Set<string>();
      for (const { batch, day: date, schema, reports } of [...next.outbox, ...left.map((old) => ({ ...old, reports: [] }))]) {
        const before = state.outbox.find((old) => old.batch === batch)?.reports ?? [];
        if (JSON.stringify(before) === JSON.stringify(reports)) continue;
        const gone = minus(before, reports);
        const came = minus(reports, before);
        if (reports.length > 0 && bodies.has(batch) && bodies.get(batch) !== wireOf(reports)) find('a batch that changed once it was sent');
        for (const [metric, , otherwise] of gone) {
          const cell = take(batch, metric);
          const replaced = otherwise ? came.findIndex(([name, , is]) => name === metric && !is) : -1;
          if (!cell) find(`a report of ${metric} that came from nowhere`);
          else if (replaced >= 0) {
            came.splice(replaced, 1);
            waiting.push(Object.assign(cell, { epoch: epochOf(next, metric), since: quietAt(), until: recordedAt(metric) ?? 0 }));
          } else if (!isAnswered(batch) && cell.since > mayErase() && !excuse(metric))
            find(`a report of ${metric} lost, and not said to be`);
        }
        for (const [metric, , otherwise] of came) {
          let day = next.accounts[metric]?.day ?? Number.NaN;
          // What was held for days is written at once, with the day of the last claim alone.
          if (isNew.has(`${metric} ${day}`)) day = Math.min(day, (parseDay(date) ?? day) - (otherwise ? slotOf(schema, metric) : 0));
          while (isNew.has(`${metric} ${day}`)) day--;
          isNew.add(`${metric} ${day}`);
          const place = `${life} ${metric} ${day}`;
          if (cells.has(place)) find(`two reports of ${metric} in a slot`);
          const until = otherwise ? now() : (recordedAt(metric) ?? 0);
          if (!mayBegin(schema, metric) && until < failedAt(metric)) find(`a report of ${metric} stored, after it was said to have failed`);
          const isOne = next.outbox.flatMap((each) => each.reports).filter(([name]) => name === metric).length === 1;
          if (otherwise && isOne && (parseDay(date) ?? 0) < day + slotOf(schema, metric))
            find(`a report of ${metric} that goes before its slot ends`);
          if (until === 0) find(`a report of ${metric} that nobody recorded`);
          const cell = { batch, metric, day, schema, life, epoch: epochOf(next, metric), since: quietAt(), until };
          cells.set(place, cell);
          waiting.push(cell);
        }
      }
      state = next;
    },
    sent: ({ batch, reports }) => {
      const stored = state.outbox.find((other) => other.batch === batch);
      if (!stored || wireOf(stored.reports) !== JSON.stringify(reports)) {
        find('an upload of what is not stored');
        return [];
      }
      bodies.set(batch, JSON.stringify(reports));
      for (const cell of waiting) {
        const [metric, day, symbol] = cell.epoch?.split(' ') ?? [];
        if (cell.batch === batch && symbol) sentEpochs.set(`${life} ${metric} ${day}`, symbol);
      }
      return waiting.filter((cell) => cell.batch === batch);
    },
    claimed: (metric, { excuse }) => {
      const isStored = waiting.some((cell) => cell.metric === metric) || cells.has(`${life} ${metric} ${state.accounts[metric]?.day}`);
      if (!isStored && !excuse(metric)) find(`a report of ${metric} recorded, and not stored`);
    },
    holds: (moment) => waiting.some(({ until }) => until <= moment),
    state: () => state,
    lose: () => {
      waiting = [];
      state = EMPTY;
    },
    reborn: () => {
      life++;
      state = { ...state, day: 0 };
    },
  };
}
