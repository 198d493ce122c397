/**
 * The outbox: randomized reports that wait to be sent. A batch keeps its id and its bytes from the first try to the last. Before the first
 * try it may grow, but only in the context that began it, so that a closing page can send it without access to the storage. The last batch
 * allowed per day is sent when the day is over, with all reports that were added meanwhile.
 */

import { ACCEPTED_DAYS, dayText, MAX_REPORTS } from '@murmuration/shared';
import type { Device } from './device.ts';
import type { QueuedBatch, QueuedReport } from './ledger/queued.ts';
import type { State } from './ledger/state.ts';
import {
  FIRST_PAUSE,
  FULL,
  LONGEST_PAUSE,
  LONGEST_QUIET,
  LONGEST_RETRY_AFTER,
  MOST_BATCHES,
  MOST_CHARACTERS,
  PATIENCE,
  SPREAD,
} from './limits.ts';
import type { Outcome } from './types.ts';

/** The wait, in milliseconds, for what time alone does not bring. */
export const NEVER: number = 1 / 0;

/** The JSON that is sent. It is the same for the same batch, after any number of days and retries. */
export const bodyOf = ({ schema, segment, day, batch, reports }: QueuedBatch): string =>
  JSON.stringify({ v: 1, schema, segment, day: dayText(day), batch, reports: reports.map(([metric, bytes]) => [metric, bytes]) });

/** Advances the state to a day, unless it has seen a later one. */
export function turnTo(state: State, today: number): void {
  if (!(today > state.day)) return;
  state.day = today;
  state.batches = state.outbox.filter(({ day }) => day === today).length;
}

/** Removes a batch and queues the outcome of its reports. */
export function remove({ said }: Device, state: State, batch: QueuedBatch, result: Outcome['result'], reason?: string): void {
  state.outbox = state.outbox.filter((other) => other !== batch);
  for (const [metric] of batch.reports) said.push({ result, metric, reason });
}

/**
 * Erases all waiting reports and the arms of experiments, because the person refuses. The day stays as it is, or each later visit would
 * store its own. Batches dated on it still count towards its limit.
 */
export function erase(device: Device, state: State): void {
  state.arms = undefined;
  for (const batch of state.outbox) remove(device, state, batch, 'no-consent');
}

/** Removes batches that are too old for any collector, and the oldest ones if too much waits. */
export function trim(device: Device, state: State): void {
  let room = MOST_CHARACTERS;
  [...state.outbox].reverse().forEach((batch, i) => {
    room -= batch.size;
    const isTooMuch = i >= MOST_BATCHES || room < 0;
    if (isTooMuch || batch.day < state.day - ACCEPTED_DAYS.before) remove(device, state, batch, isTooMuch ? 'dropped' : 'expired');
  });
}

/**
 * Adds a report to a batch of the day, or of the first later day that allows another batch. A report that is sent alone gets a batch of its
 * own. No limit moves its date, because slots already limit the number of such batches. It belongs to no context, and waits until the quiet
 * time is over.
 */
export function put(device: Device, state: State, report: QueuedReport, first: number): void {
  const { wire: schema, segment, uniform } = device;
  const isAlone = device.reports === 'alone';
  const perDay = isAlone ? NEVER : device.perDay;
  const by = isAlone ? '' : device.me;
  for (let day = first; ; day++) {
    const ofDay = state.outbox.filter((batch) => batch.day === day);
    const begun = day === state.day ? state.batches : ofDay.length;
    let batch = ofDay.find(
      (each) =>
        !isAlone &&
        (each.by === by || each.from > state.day) &&
        each.size < FULL &&
        each.reports.length < MAX_REPORTS &&
        each.reports.every(([metric]) => metric !== report[0]) && // collectors refuse two of a metric
        JSON.stringify([each.schema, each.segment]) === JSON.stringify([schema, segment]),
    );
    if (!batch) {
      if (begun >= perDay) continue;
      const from = begun + 1 < perDay ? day : day + 1; // the last batch of a day waits until the day is over
      const notBefore = isAlone ? state.quiet : device.now() + PATIENCE;
      batch = { schema, segment, day, batch: device.newId(), reports: [], from, size: 250, by, tries: 0, notBefore };
      state.outbox.push(batch);
      if (day === state.day) state.batches++;
    }
    batch.reports.splice(uniform(batch.reports.length + 1), 0, report); // at a random place, so that the order says nothing
    batch.size += report.join().length + 8;
    return;
  }
}

/** Milliseconds until a stored time; 0 if it is implausibly far ahead, because the clock was set back. */
const until = (time: number, { now }: Device): number => (time - now() > 2 * LONGEST_RETRY_AFTER ? 0 : time - now());

/** Milliseconds until this context may send a batch, whichever context began it. */
const waitOf = (device: Device, { pause, day }: State, { by, from, notBefore }: QueuedBatch): number =>
  from > day ? NEVER : Math.max(until(pause, device), by === device.me ? 0 : until(notBefore, device));

/** Milliseconds until something may be sent; infinite if nothing waits. */
export const wait = (device: Device, state: State): number => Math.min(...state.outbox.map((batch) => waitOf(device, state, batch)));

/** The batches that this context may send now. */
export const dueNow = (device: Device, state: State): readonly QueuedBatch[] =>
  state.outbox.filter((batch) => waitOf(device, state, batch) <= 0);

/**
 * Chooses the batches to send now: all that this context began, and at most one of the others, drawn at random. The remaining ones are
 * postponed to random times of their own, so that a collector that was down does not get a device's batches together. This fixes the
 * batches' bytes and the time of their next try.
 *
 * Where reports are sent alone, the first batch after a quiet time begins the next one, which ends at a random time within a day. Until then
 * only that batch is tried again, which tells nothing new. So two reports of a device leave at times that are hardly closer than those of two
 * devices (docs/linkage.md), in whatever contexts, and however often the app is opened.
 */
export function seal(device: Device, state: State): readonly QueuedBatch[] {
  const { me, now, uniform } = device;
  const due = dueNow(device, state);
  const others = due.filter(({ by }) => by !== me);
  const old = others[uniform(others.length)];
  const going = due.filter((batch) => batch.by === me || batch === old);
  const isNext = old && (device.reports === 'alone' || !(old.by || old.tries)) && until(state.quiet, device) <= 0;
  if (isNext) state.quiet = now() + 1_000 * uniform(LONGEST_QUIET);
  // The back-off uses the largest number of tries of any batch, and one back-off governs all, so uploads do not grow with the number of
  // batches.
  const tries = Math.max(...state.outbox.map((batch) => batch.tries));
  for (const batch of going) {
    batch.by = '';
    batch.tries++;
    batch.notBefore = now() + PATIENCE + uniform(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries));
  }
  for (const batch of state.outbox) {
    if (old && batch.by !== me && !going.includes(batch))
      // The time of a batch that is due may be far ahead: the clock was set back.
      batch.notBefore = Math.max(due.includes(batch) ? 0 : batch.notBefore, isNext ? state.quiet : old.notBefore + uniform(SPREAD));
  }
  return going;
}

/** The collector is up: waiting batches may be sent soon, each at a random time of its own, but none before the quiet time is over. */
export function hasten({ now, uniform }: Device, state: State): void {
  for (const batch of state.outbox) batch.notBefore = Math.max(state.quiet, Math.min(batch.notBefore, now() + PATIENCE + uniform(SPREAD)));
}

/** The collector asks for a pause, in seconds. Nothing is sent for that long, plus a random time of up to the same length. */
export function pauseFor({ now, uniform }: Device, state: State, seconds: number): void {
  const pause = Math.min(LONGEST_RETRY_AFTER, Math.ceil(seconds * 1_000));
  state.pause = now() + pause + uniform(pause);
}
