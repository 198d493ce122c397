/**
 * Open dashboards: each asks for the list every two seconds and then for what has changed, as the page (collector/src/dashboard) at its
 * busiest: with every question on the screen, and reports that come all the time.
 */

import { createReader } from '@murmuration/collector/reader';

/** As the dashboard has them. */
const INTERVAL = 2_000;
const MAX_AGE = 2;
const MOST_ANSWERS = 10_000;

/** How many requests were answered, and how many were not. */
export interface Seen {
  readonly answered: number;
  readonly failed: number;
}

const { url, count } = JSON.parse(process.argv[2] ?? '') as { readonly url: string; readonly count: number };
const reader = createReader(undefined, { url, maxAge: MAX_AGE });
let [answers, failures] = [0, 0];
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** One dashboard. `seen` is called each time that it shows everything. */
async function dashboard(seen: () => void): Promise<never> {
  const shown = new Map<string, { readonly reports: number; isAsked: boolean }>();
  for (;;) {
    const asked: Promise<void>[] = [];
    // What fails is asked again with the next list, as the dashboard does.
    const metrics = await reader.metrics().catch(() => {
      failures++;
      return [];
    });
    for (const { metric, reports } of metrics) {
      const before = shown.get(metric);
      if (before?.isAsked || before?.reports === reports) continue;
      const request = { reports, isAsked: true };
      shown.set(metric, request);
      const answered = (): void => {
        answers++;
        request.isAsked = false;
      };
      const failed = (): void => {
        failures++;
        shown.delete(metric);
      };
      asked.push(reader.estimates(metric, { limit: MOST_ANSWERS }).then(answered, failed));
    }
    void Promise.all(asked).then(seen);
    await pause(INTERVAL);
  }
}

process.on('message', () => {
  process.send?.({ answered: answers, failed: failures } satisfies Seen);
  process.disconnect();
  process.exit();
});
const all = Array.from({ length: count }, async (_, i) => {
  await pause((i * INTERVAL) / count); // people do not open their pages at once
  await new Promise<void>((resolve) => void dashboard(resolve));
});
await Promise.all(all);
process.send?.('open');
