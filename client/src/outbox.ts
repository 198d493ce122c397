/** The outbox: randomized reports on their way. A batch keeps its id and its bytes from the first try to the last. */

import { ACCEPTED_DAYS, type Batch, dayText } from '@murmuration/shared';
import type { State } from './ledger/state.ts';

/** Metric, and its report as base64url. */
export type Report = readonly [metric: string, report: string];

/** What all batches of a device have in common. */
export type Heading = Pick<Batch, 'v' | 'schema' | 'segment'>;

/**
 * Puts a report at a random place of today's open batch, which is the last, or opens one. Throws only before it has
 * changed anything.
 *
 * @param batchId draws 128 random bits as hex
 * @param uniform draws a whole number below n
 */
export function addReport(state: State, heading: Heading, report: Report, batchId: () => string, uniform: (n: number) => number): void {
  const today = { ...heading, day: dayText(state.day) };
  const open = JSON.stringify(today);
  const last = state.outbox[state.outbox.length - 1];
  if (last && state.open === open) (last.reports as Report[]).splice(uniform(last.reports.length + 1), 0, report);
  else state.outbox.push({ ...today, batch: batchId(), reports: [report] });
  state.open = open;
}

/** Takes reports back that could not be stored, and so were never sent. */
export function takeBack(state: State, unsaved: readonly Report[]): void {
  state.outbox = state.outbox
    .map((batch) => ({ ...batch, reports: batch.reports.filter((report) => !unsaved.includes(report)) }))
    .filter(({ reports }) => reports.length > 0);
  seal(state);
}

/** Fixes the bytes of all batches: they are about to be sent. */
export function seal(state: State): void {
  state.open = '';
}

/** Takes out, and returns, the batches that no collector accepts any more. */
export function dropStale(state: State): readonly Batch[] {
  const oldest = dayText(state.day - ACCEPTED_DAYS.before);
  const stale = state.outbox.filter(({ day }) => day < oldest);
  state.outbox = state.outbox.filter(({ day }) => day >= oldest);
  return stale;
}
