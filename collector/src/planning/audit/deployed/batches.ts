/** Batches among the requests of a page. */

import type { Batch } from '@murmuration/shared';
import type { Sent } from './site.ts';

/** A report's request, and its batch; undefined if its body is none. */
export interface SentBatch {
  readonly body: string;
  readonly batch: Batch | undefined;
}

function parse(body: string): Batch | undefined {
  try {
    const batch = JSON.parse(body) as Batch;
    const isBatch = batch.v === 1 && typeof batch.schema === 'string' && typeof batch.batch === 'string';
    return isBatch && batch.reports.every(([metric, report]) => typeof metric === 'string' && typeof report === 'string')
      ? batch
      : undefined;
  } catch {
    return undefined;
  }
}

/** The batches of a page, each once: a retry sends the same bytes. */
export function batchesOf(sent: readonly Pick<Sent, 'isReport' | 'method' | 'body'>[]): readonly SentBatch[] {
  const bodies = new Set(sent.filter(({ isReport, method }) => isReport && method === 'POST').map(({ body }) => body));
  return [...bodies].map((body) => ({ body, batch: parse(body) }));
}
