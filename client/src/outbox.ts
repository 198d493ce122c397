/** The outbox: randomized reports on their way. A batch keeps its id and its bytes from the first try to the last. */

import { ACCEPTED_DAYS, type Batch, dayText } from '@murmuration/shared';
import type { Delivery } from './adapters/transport.ts';
import type { State, Waiting } from './ledger/state.ts';

type Report = readonly [metric: string, report: string];

const isOpenFor = (state: State, schema: string, segment: Batch['segment']) => ({ day, batch, sealed }: Waiting): boolean =>
  !sealed && day === state.day && batch.schema === schema && JSON.stringify(batch.segment) === JSON.stringify(segment);

/**
 * Puts a report at a random place of today's open batch, or opens one. Throws only before it has changed anything.
 *
 * @param batchId draws 128 random bits as hex
 * @param uniform draws a whole number below n
 */
export function addReport(
  state: State,
  { schema, segment }: Pick<Batch, 'schema' | 'segment'>,
  report: Report,
  batchId: () => string,
  uniform: (n: number) => number,
): Waiting {
  const open = state.outbox.find(isOpenFor(state, schema, segment));
  if (open !== undefined) {
    (open.batch.reports as Report[]).splice(uniform(open.batch.reports.length + 1), 0, report);
    return open;
  }
  const batch: Batch = { v: 1, schema, day: dayText(state.day), batch: batchId(), ...(segment && { segment }), reports: [report] };
  const waiting = { day: state.day, batch, sealed: false };
  state.outbox.push(waiting);
  return waiting;
}

/** Takes a report back that could not be stored, and so was never sent. */
export function takeBack(state: State, waiting: Waiting, metric: string): void {
  const reports = waiting.batch.reports as Report[];
  reports.splice(reports.findIndex(([name]) => name === metric), 1);
  if (reports.length === 0) remove(state, waiting);
}

/** Takes a batch out. */
export function remove(state: State, waiting: Waiting): void {
  state.outbox = state.outbox.filter((other) => other !== waiting);
}

/** Takes out and returns the batches that no collector accepts any more. */
export function dropStale(state: State): readonly Waiting[] {
  const stale = state.outbox.filter(({ day }) => day < state.day - ACCEPTED_DAYS.before);
  for (const waiting of stale) remove(state, waiting);
  return stale;
}

/** Whether the same bytes may still be accepted later. Any other answer is final: 2xx, or a 4xx that a retry can't mend. */
export const isTransient = ({ status }: Delivery): boolean => status < 200 || status >= 500 || [408, 425, 429].includes(status);

const BACKOFF = { first: 5_000, most: 3_600_000 };

/** How many milliseconds to wait at most after so many failures in a row; the wait is drawn uniformly below it (full jitter). */
export const backoff = (failures: number): number => Math.min(BACKOFF.most, BACKOFF.first * 2 ** Math.min(failures - 1, 20));
