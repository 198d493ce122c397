/** The size of a device's first report, from the laws of a schema. */

import { MAX_BODY_BYTES, type MetricDocument, mechanismOf, type SchemaDocument, wireName } from '@murmuration/shared';
import { type Finding, fault, fine } from './finding.ts';

/** A batch of these metrics, with reports of the length that their laws have. */
function bytesOf(document: SchemaDocument, metrics: readonly [string, MetricDocument][]): number {
  const segment = document.segments && Object.fromEntries(Object.entries(document.segments).map(([name, values]) => [name, values[0]]));
  const reports = metrics.map(([name, { law }]) => [name, 'A'.repeat(Math.ceil((mechanismOf(law).reportBytes(law) * 4) / 3))]);
  const body = { v: 1, schema: wireName(document), day: '2026-11-20', batch: '0'.repeat(32), ...(segment && { segment }), reports };
  return Buffer.byteLength(JSON.stringify(body));
}

/** The size of the first batch: of all answers together, or of the longest report where each leaves alone. */
export function sizeFinding(document: SchemaDocument): Finding {
  const metrics = Object.entries(document.metrics);
  const isAlone = document.reports === 'alone';
  const bytes = isAlone ? Math.max(...metrics.map((metric) => bytesOf(document, [metric]))) : bytesOf(document, metrics);
  const what = isAlone
    ? `the longest report, sent alone, has ${bytes} bytes`
    : `a first batch of all ${metrics.length} answers has ${bytes} bytes`;
  return bytes > MAX_BODY_BYTES
    ? fault('size', what, `a page that is left may send ${MAX_BODY_BYTES}`, 'ask less, or give long lists `mechanism: longList()`')
    : fine('size', what);
}
