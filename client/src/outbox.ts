/**
 * The outbox: randomized reports on their way. A batch keeps its id and its bytes from the first try to the last. It grows until
 * then, and only by the context that began it, so that a page that is left may send it without asking the storage. The last batch that
 * a day may have is sent when the day is over, with all that came meanwhile.
 */

import { ACCEPTED_DAYS, dayText, MAX_REPORTS } from '@murmuration/shared';
import type { Device } from './device.ts';
import type { QueuedBatch, QueuedReport } from './ledger/queued.ts';
import type { State } from './ledger/state.ts';
import type { Outcome } from './types.ts';

/** Characters of a batch that takes no more: with one report of the longest list it stays below the 64 KiB that keepalive and collector allow. */
const FULL = 40_000;
/** The most that waits: batches, and characters of their reports, whose length no value changes. */
const MOST_BATCHES = 100;
const MOST_CHARACTERS = 165_000;

// Milliseconds: what other contexts leave to the one that began a batch, and everybody to an answer; the longest pause after the first
// failure, and after any; and over how long what waits is spread, so that it does not arrive together.
export const PATIENCE = 10_000;
const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 3_600_000;
const SPREAD = 60_000;
/** The longest pause that a collector can ask for. */
const LONGEST_RETRY_AFTER = 86_400_000;

/** The JSON that is sent: the same for the same batch, today and after any number of retries. */
export const bodyOf = ({ schema, segment, day, batch, reports }: QueuedBatch): string =>
  JSON.stringify({ v: 1, schema, segment, day: dayText(day), batch, reports: reports.map(([metric, bytes]) => [metric, bytes]) });

/** Turns the state to a day, unless it has seen a later one. */
export function turnTo(state: State, today: number): void {
  if (!(today > state.day)) return;
  state.day = today;
  state.batches = state.outbox.filter(({ day }) => day === today).length;
}

/** Takes a batch out, and says what became of its reports. */
export function remove({ said }: Device, state: State, batch: QueuedBatch, result: Outcome['result'], reason?: string): void {
  state.outbox = state.outbox.filter((other) => other !== batch);
  for (const [metric] of batch.reports) said.push({ result, metric, reason });
}

/** The person refuses: all that waits is erased. What is dated today counts among today's batches all the same. */
export function erase(device: Device, state: State): void {
  turnTo(state, device.today());
  for (const batch of state.outbox) remove(device, state, batch, 'no-consent');
}

/** Takes out what no collector accepts any more, and the oldest where too much waits. */
export function trim(device: Device, state: State): void {
  let room = MOST_CHARACTERS;
  for (const [i, batch] of [...state.outbox].reverse().entries()) {
    room -= batch.size;
    const isTooMuch = i >= MOST_BATCHES || room < 0;
    if (isTooMuch || batch.day < state.day - ACCEPTED_DAYS.before) remove(device, state, batch, isTooMuch ? 'dropped' : 'expired');
  }
}

/** Adds a report to a batch of a day; of the next one that may have another batch, if that may not. */
export function put(device: Device, state: State, report: QueuedReport, first: number): void {
  const { wire: schema, segment, perDay, me: by, coins } = device;
  for (let day = first; ; day++) {
    const ofDay = state.outbox.filter((batch) => batch.day === day);
    const begun = day === state.day ? state.batches : ofDay.length;
    let batch = ofDay.find(
      (each) =>
        (each.by === by || each.from > state.day) &&
        each.size < FULL &&
        each.reports.length < MAX_REPORTS &&
        JSON.stringify([each.schema, each.segment]) === JSON.stringify([schema, segment]),
    );
    if (!batch) {
      if (begun >= perDay) continue;
      const from = begun + 1 < perDay ? day : day + 1; // the last one of a day waits until the day is over
      const notBefore = device.now() + PATIENCE;
      batch = { schema, segment, day, batch: device.newId(), reports: [], from, size: 250, by, tries: 0, notBefore };
      state.outbox.push(batch);
      if (day === state.day) state.batches++;
    }
    batch.reports.splice(coins.uniform(batch.reports.length + 1), 0, report); // at a random place, for their order says nothing
    batch.size += report.join().length + 8;
    return;
  }
}

/** Milliseconds until a time that is stored; none where it is too far to be true, for clocks are set back. */
const until = (time: number, { now }: Device): number => (time - now() > 2 * LONGEST_RETRY_AFTER ? 0 : time - now());

/** Milliseconds until a batch may be sent, by the context that began it or by any. */
const waitOf = (device: Device, { pause, day }: State, { by, from, notBefore }: QueuedBatch): number =>
  from > day ? Number.POSITIVE_INFINITY : Math.max(until(pause, device), by === device.me ? 0 : until(notBefore, device));

/** Milliseconds until something may be sent; infinite when nothing waits. */
export const wait = (device: Device, state: State): number => Math.min(...state.outbox.map((batch) => waitOf(device, state, batch)));

/** What this context may send at once: it began it, and nobody has sent it. */
export const fresh = (device: Device, state: State): readonly QueuedBatch[] =>
  state.outbox.filter((batch) => batch.by === device.me && waitOf(device, state, batch) <= 0);

/**
 * Chooses what is sent now: all that is fresh, and of what has waited at most one batch, the others at random times of their own. So a
 * collector that was away does not get a device's batches together. Their bytes are fixed with this, and the time of the next try.
 */
export function seal(device: Device, state: State): readonly QueuedBatch[] {
  const { me, now, coins } = device;
  const due = state.outbox.filter((batch) => waitOf(device, state, batch) <= 0);
  const old = due.find(({ by }) => by !== me);
  const going = due.filter((batch) => batch.by === me || batch === old);
  // A device goes by what failed most often, and its next try is one for all: its uploads do not grow with what waits.
  const tries = Math.max(0, ...state.outbox.map((batch) => batch.tries));
  for (const batch of going) {
    batch.by = '';
    batch.tries++;
    batch.notBefore = now() + PATIENCE + coins.uniform(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries));
  }
  for (const batch of state.outbox) {
    if (old && batch.by !== me && !going.includes(batch))
      batch.notBefore = Math.max(batch.notBefore, old.notBefore + coins.uniform(SPREAD));
  }
  return going;
}

/** The collector is there: what waits may come soon, each batch at a random time of its own. */
export function hasten({ now, coins }: Device, state: State): void {
  for (const batch of state.outbox) batch.notBefore = Math.min(batch.notBefore, now() + PATIENCE + coins.uniform(SPREAD));
}

/** The collector asks for a pause, in seconds: nothing is sent for so long, and up to twice as long. */
export function pauseFor({ now, coins }: Device, state: State, seconds: number): void {
  const pause = Math.min(LONGEST_RETRY_AFTER, Math.ceil(seconds * 1_000));
  state.pause = now() + pause + coins.uniform(pause);
}
