/** A collector of an app with as many questions as a test likes, each with some reports on the last three days. */

import { randomBytes } from 'node:crypto';
import { defineSchema, flag } from '@murmuration/client';
import { type Collector, createCollector } from '@murmuration/collector';
import { dayNumber, dayText, wireName } from '@murmuration/shared';

const DAY = 86_400_000;
const REPORTS = 60;

/** What the question number 287 asks. All others ask `Is thing N used?`. */
export const NEEDLE = 'Is the needle in the haystack?';

/** The name of the question that nobody answers. */
export const SILENT = 'asked7';

/** Reports of a flag. */
const [YES, NO] = ['AQ', 'AA'];

/** Starts it. */
export async function manyQuestions(
  count: number,
  data: string,
): Promise<{ readonly collector: Collector; readonly address: string; readonly send: (devices: number) => Promise<void> }> {
  const names = Array.from({ length: count }, (_, i) => `asked${i}`);
  const { document } = defineSchema({
    app: 'large',
    version: 1,
    budget: { epsilon: 1_000_000, per: 'month' },
    segments: { platform: ['web', 'ios'] },
    metrics: Object.fromEntries(
      names.map((name, i) => [
        name,
        flag({ epsilon: 8, every: 'day', description: i === 287 ? NEEDLE : `Is thing ${i} used?`, owner: `team ${i % 3}` }),
      ]),
    ),
  });
  const collector = await createCollector({ open: true, schemas: [document], data, minimum: 20 });
  const address = await collector.listen(0, '127.0.0.1');
  const send = async (devices: number): Promise<void> => {
    for (let i = 0; i < devices; i++) {
      const reports = names.filter((name) => name !== SILENT).map((name) => [name, i % 2 === 0 ? YES : NO]);
      const day = dayText(dayNumber(Date.now() - (i % 3) * DAY));
      const batch = {
        v: 1,
        schema: wireName(document),
        day,
        segment: { platform: 'web' },
        batch: randomBytes(16).toString('hex'),
        reports,
      };
      const { status } = await fetch(`${address}/v1/reports`, { method: 'POST', body: JSON.stringify(batch) });
      if (status !== 204) throw new Error(`expected the collector to take a batch, got ${status}`);
    }
  };
  await send(REPORTS);
  return { collector, address, send };
}
