/** Midnight: the first batches of a new day close a day, and its ids leave while devices report. */

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ACCEPTED_DAYS, dayNumber } from '@murmuration/shared';
import { ID_MARGIN } from '#collector/ingest/clock.ts';
import { quantile } from '../../kit/quantile.ts';
import { openLoop } from '../ingest/load.ts';
import { fillIds } from '../ingest/many-ids.ts';
import { withFolder } from '../ingest/process.ts';
import { requests } from '../ingest/requests.ts';
import { schema } from '../ingest/schema.ts';
import type { Line } from '../lines.ts';
import { serve } from './process.ts';

/** Honest batches a second, and their connections. */
const RATE = 200;
const CONNECTIONS = 64;

/** The ids that a collector keeps. */
async function idsOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^murmuration_ids (\S+)/m.exec(metrics)?.[1]);
}

/** How long acknowledgements wait before and after midnight, when so many ids leave. */
export async function midnightLines(options: { readonly ids: number; readonly seconds: number }): Promise<readonly Line[]> {
  const { ids } = options;
  const seconds = options.seconds / 4; // before midnight, and as many after it
  return withFolder(async (folder) => {
    // They stay while the newest day is yesterday, and leave with the first batches of today.
    const today = dayNumber(Date.now());
    const first = today - ACCEPTED_DAYS.before - ID_MARGIN - 1;
    await fillIds(join(folder, 'data'), ids, { first, days: 1 });
    const service = await serve(folder, schema.document);
    try {
      await openLoop(service.port, CONNECTIONS, await requests(1, today - 1), Math.min(3, options.seconds), RATE); // warms up
      const before = await openLoop(service.port, CONNECTIONS, await requests(1, today - 1), seconds, RATE);
      const held = await idsOf(service.url);
      const after = await openLoop(service.port, CONNECTIONS, await requests(1), seconds, RATE);
      let kept = await idsOf(service.url);
      for (let i = 0; i < 60 && kept > 100_000; i++) {
        await pause(1_000);
        kept = await idsOf(service.url);
      }
      return [
        { what: `start with ${ids} ids`, measured: service.startSeconds, unit: 's' },
        { what: 'ids before midnight', measured: held, unit: '' },
        { what: 'ids after it', measured: kept, unit: '', target: { atMost: held - ids + 10_000 } },
        {
          what: `longest wait for an acknowledgement in the ${seconds} s before midnight`,
          measured: Math.max(...before.latencies),
          unit: 'ms',
        },
        { what: `longest wait in the ${seconds} s after it`, measured: Math.max(...after.latencies), unit: 'ms', target: { atMost: 250 } },
        { what: 'p99 before', measured: quantile(before.latencies, 0.99), unit: 'ms' },
        { what: 'p99 after', measured: quantile(after.latencies, 0.99), unit: 'ms' },
        { what: 'batches refused', measured: before.refused + after.refused, unit: '', target: { atMost: 0 } },
      ];
    } finally {
      await service.stop();
    }
  });
}
