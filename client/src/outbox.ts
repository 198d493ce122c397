/** The outbox: randomized reports on their way. A batch keeps its id and its bytes from the first try to the last. */

import { toBase64url, type Batch as WireBatch } from '@murmuration/shared';

/** Metric, and the bytes of its report. */
export type Report = readonly [metric: string, bytes: readonly number[]];

/** A batch as it is kept: as it is sent, but that its reports are bytes. */
export type Batch = Omit<WireBatch, 'reports'> & { readonly reports: readonly Report[] };

/** The JSON that is sent: the same for the same batch, today and after any number of retries. */
export const bodyOf = (batch: Batch): string =>
  JSON.stringify({ ...batch, reports: batch.reports.map(([metric, bytes]) => [metric, toBase64url(bytes)]) });

/** The outbox with one more report, at a random place of the batch that is still open: their order says nothing. */
export function addReport(outbox: readonly Batch[], open: Batch, report: Report, uniform: (n: number) => number): readonly Batch[] {
  const place = uniform(open.reports.length + 1);
  const reports = [...open.reports.slice(0, place), report, ...open.reports.slice(place)];
  return [...outbox.filter((batch) => batch !== open), { ...open, reports }];
}

/** Takes reports back that could not be stored, and so were never sent. */
export const takeBack = (outbox: readonly Batch[], unsaved: readonly Report[]): readonly Batch[] =>
  outbox
    .map((batch) => ({ ...batch, reports: batch.reports.filter((report) => !unsaved.includes(report)) }))
    .filter(({ reports }) => reports.length > 0);
