/**
 * The outbox: randomized reports on their way. A batch keeps its id and its bytes from the first try to the last. It grows
 * until then: the open one until it is sealed, others while their day lies ahead. The last batch that a day may have is sent
 * when the day is over, with all that came meanwhile.
 */

import { ACCEPTED_DAYS, dayText, toBase64url, type Batch as WireBatch } from '@murmuration/shared';
import type { State } from './ledger/state.ts';
import type { Outcome } from './types.ts';

/** Metric, the bytes of its report, and where these are `otherwise`, whose place an answer may still take, the day on which their slot began. */
export type Report = readonly [metric: string, bytes: readonly number[], since?: number | undefined];

/** A batch as it is kept: as it is sent, but that its reports are bytes, and that it knows which of its day's batches it is, from 1. */
export type Batch = Omit<WireBatch, 'reports'> & { readonly reports: readonly Report[]; readonly nth: number };

/** Characters of a batch that takes no more: with one report of the longest list it stays below the 64 KiB that keepalive and collector allow. */
const FULL = 40_000;
/** The most that waits: batches, and characters of their bodies, whose length no value changes (as stored they are three times as many). */
const MOST_BATCHES = 100;
const MOST_CHARACTERS = 165_000;

/** The JSON that is sent: the same for the same batch, today and after any number of retries. */
export const bodyOf = ({ nth: _, ...batch }: Batch): string =>
  JSON.stringify({ ...batch, reports: batch.reports.map(([metric, bytes]) => [metric, toBase64url(bytes)]) });

/** Turns the state to a day, unless it has seen a later one. Returns the day at which it stands. */
export function turnTo(state: State, today: number): number {
  if (today > state.day) {
    state.day = today;
    state.batches = state.outbox.filter(({ day }) => day === dayText(today)).length;
  }
  return state.day;
}

/** The outbox of a state. */
export interface Outbox {
  /** Adds a report to a batch of a day; of the next one that may have another batch, if that may not. The oldest batches make room. */
  readonly put: (report: Report, day: number) => void;
  /** The report that stands for `otherwise` in a metric's slot, by the day on which that began. */
  readonly otherwise: (metric: string, since: number) => Report | undefined;
  readonly replace: (old: Report, next: Report) => void;
  /** Takes reports back that could not be stored, and so were never sent. */
  readonly takeBack: (reports: readonly Report[]) => void;
  /** What may be sent today. Says of what has waited too long that it expired. */
  readonly due: () => readonly Batch[];
  /** No batch that is due grows any more. */
  readonly seal: () => void;
  /** Takes a batch out, if it is there, and says what became of its reports. */
  readonly settle: (batch: Batch, result: Outcome['result']) => void;
}

/**
 * @param wire the schema's name on the wire
 * @param perDay the most batches with one day's date
 * @param newId draws a batch's id
 * @param uniform draws a whole number below n
 */
export function createOutbox(
  state: State,
  { wire, segment, perDay }: { readonly wire: string; readonly segment: WireBatch['segment']; readonly perDay: number },
  newId: () => string,
  uniform: (n: number) => number,
  say: (result: Outcome['result'], metric: string) => void,
): Outbox {
  let open = '';
  const mayGo = ({ day, nth }: Batch): boolean => {
    const today = dayText(state.day);
    return day < today || (day === today && nth < perDay);
  };
  /** Whether a batch takes what this device records now. */
  const takes = (batch: Batch): boolean =>
    (batch.batch === open || !mayGo(batch)) && batch.schema === wire && JSON.stringify(batch.segment) === JSON.stringify(segment);
  const change = (of: (reports: readonly Report[]) => readonly Report[]): void => {
    state.outbox = state.outbox.map((batch) => ({ ...batch, reports: of(batch.reports) })).filter(({ reports }) => reports.length > 0);
  };
  const settle: Outbox['settle'] = ({ batch }, result) => {
    const gone = state.outbox.filter((other) => other.batch === batch);
    state.outbox = state.outbox.filter((other) => other.batch !== batch);
    for (const { reports } of gone) for (const [metric] of reports) say(result, metric);
  };

  return {
    put: (report, first) => {
      while (state.outbox.length >= MOST_BATCHES || state.outbox.map(bodyOf).join().length > MOST_CHARACTERS)
        settle(state.outbox[0] as Batch, 'dropped');
      for (let number = first; ; number++) {
        const day = dayText(number);
        const ofDay = state.outbox.filter((batch) => batch.day === day);
        const growing = ofDay.find((batch) => takes(batch) && bodyOf(batch).length < FULL);
        const nth = 1 + (number === state.day ? state.batches : ofDay.length);
        if (!growing && nth > perDay) continue;
        const batch = growing ?? { v: 1, schema: wire, ...(segment && { segment }), day, batch: newId(), reports: [], nth };
        // At a random place, for their order says nothing.
        const place = uniform(batch.reports.length + 1);
        const reports = [...batch.reports.slice(0, place), report, ...batch.reports.slice(place)];
        state.outbox = [...state.outbox.filter((other) => other !== growing), { ...batch, reports }];
        if (!growing && number === state.day) state.batches++;
        if (mayGo(batch)) open = batch.batch;
        return;
      }
    },
    otherwise: (metric, since) =>
      state.outbox
        .filter(takes)
        .map(({ reports }) => reports.find(([name, , begun]) => name === metric && begun === since))
        .find((report) => report),
    replace: (old, next) => change((reports) => reports.map((report) => (report === old ? next : report))),
    takeBack: (unsaved) => change((reports) => reports.filter((report) => !unsaved.includes(report))),
    due: () => {
      const oldest = dayText(state.day - ACCEPTED_DAYS.before);
      for (const batch of state.outbox) if (batch.day < oldest) settle(batch, 'expired');
      return state.outbox.filter(mayGo);
    },
    seal: () => {
      open = '';
    },
    settle,
  };
}
