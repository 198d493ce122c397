/** What is seen of a device from outside: all that it stored, sent and said, and what is wrong with it at once. */

import type { Outcome, Upload } from '@murmuration/client';
import { type Batch, dayNumber, dayText } from '@murmuration/shared';
import { type Cell, createBooks, type StoredState, type Writer } from './books.ts';
import { SENTINELS } from './device-schemas.ts';

/** A report as it went out: the first time that its batch was tried. */
export type Sent = Readonly<Cell>;

/** A page, as far as what it writes and sends can be judged. */
export interface Source extends Writer {
  readonly name: string;
  /** Whether the person has agreed, as the page says itself. */
  readonly agrees: () => boolean;
  /** What was recorded before this may not be sent any more. */
  readonly refusedAt: () => number;
}

export interface Evidence {
  /** Outcomes, writes, timers and uploads with their times and sizes: the same for any two histories of values. */
  readonly trace: string[];
  /** Uploads with their times, sizes, dates and metrics: the same whether metrics with `otherwise` were recorded or not. */
  readonly uploads: string[];
  /** What was found wrong. */
  readonly failures: string[];
  readonly sent: readonly Sent[];
  readonly wrote: (page: Source, text: string) => void;
  readonly uploaded: (page: Source, upload: Upload) => void;
  readonly said: (page: Source, outcome: Outcome) => void;
  /** Something else is in the trace. */
  readonly note: (page: Pick<Source, 'name'>, what: string) => void;
  /** The next moment, in the order of records and refusals. */
  readonly moment: () => number;
  /** The greatest day that the clock has shown. */
  readonly greatestDay: () => number;
  /** Whether something is stored that was recorded no later than this. */
  readonly holds: (moment: number) => boolean;
  /** What is stored. */
  readonly state: () => StoredState;
  /** What is stored is ruined. */
  readonly lose: () => void;
  /** Another storage life begins. */
  readonly reborn: () => void;
}

/** The cell of a report: a device has at most one in each. */
export const cellOf = ({ life, metric, day }: Pick<Sent, 'life' | 'metric' | 'day'>): string => `${life} ${metric} ${day}`;

/** The state as it is stored, but for what is random: bytes are counted. */
const shapeOf = (text: string): string =>
  text
    .replace(/"symbol":"([^"]*)"/g, (_, symbol) => `"symbol":${symbol.length}`)
    .replace(/\[[\d,]+\]/g, (bytes) => `${bytes.split(',').length} bytes`);

/**
 * @param now the time of the device's clock
 * @param perDay the most batches with one day's date
 * @param isAnswered whether the collector has said its last word on a batch
 */
export function createEvidence(now: () => number, perDay: number, isAnswered: (batch: string) => boolean): Evidence {
  const [trace, uploads, failures, sent]: [string[], string[], string[], Sent[]] = [[], [], [], []];
  const dates = new Map<string, Set<string>>(); // the batches of each storage life and date
  let moment = 0;
  let greatest = 0;
  let life = 0;
  const note: Evidence['note'] = ({ name }, what) => void trace.push(`${now()} ${name} ${what}`);
  const find = (what: string): void => void failures.push(what);
  const next = (): number => ++moment;
  const books = createBooks(find, next, isAnswered);
  const assertNoValue = (where: string, text: string): void => {
    if (SENTINELS.some((value) => text.includes(value))) find(`a raw value is ${where}`);
  };

  return {
    trace,
    uploads,
    failures,
    sent,
    note,
    moment: next,
    wrote: (page, text) => {
      note(page, `writes ${shapeOf(text)}`);
      assertNoValue('in storage', text);
      books.wrote(text, page);
    },
    uploaded: (page, { body }) => {
      const batch = JSON.parse(body) as Batch;
      note(page, `uploads ${batch.batch} of ${body.length} characters`);
      const metrics = batch.reports.map(([metric]) => metric).sort();
      uploads.push(`${now()} ${page.name} uploads ${body.length} characters of ${batch.schema}, ${batch.day}: ${metrics}`);
      assertNoValue('on the wire', body);
      if (!page.agrees()) find('an upload without consent');
      const cells = books.sent(batch);
      if (cells.some(({ until }) => until <= page.refusedAt())) find('an upload of what was recorded before a refusal');
      for (const cell of cells)
        if (!sent.some((other) => other.batch === cell.batch && cellOf(other) === cellOf(cell))) sent.push({ ...cell });
      const date = `${life} ${batch.day}`;
      const ids = dates.get(date) ?? new Set();
      dates.set(date, ids.add(batch.batch));
      if (ids.size === perDay && batch.day >= dayText(books.state().day)) find('the last batch of a day before the day is over');
      if (ids.size > perDay) find(`${ids.size} batches with one day's date, expected at most ${perDay}`);
    },
    said: (page, { metric = '', result }) => {
      note(page, `says ${result} ${metric}`);
      if (result === 'recorded' || result === 'begun') books.claimed(metric, page);
    },
    greatestDay: () => {
      greatest = Math.max(greatest, dayNumber(now()));
      return greatest;
    },
    holds: books.holds,
    state: books.state,
    lose: books.lose,
    reborn: () => {
      life++;
      books.reborn();
    },
  };
}
