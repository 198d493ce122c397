/** `murmuration serve` on a SQLite store that keeps the ids of many days: what it says at its start, and when it takes batches. */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ACCEPTED_DAYS, dayNumber } from '@murmuration/shared';
import { quantile } from '../../kit/quantile.ts';
import { closedLoop, openLoop } from '../ingest/load.ts';
import { fillIds } from '../ingest/many-ids.ts';
import { withFolder } from '../ingest/process.ts';
import { requests } from '../ingest/requests.ts';
import { schema } from '../ingest/schema.ts';
import type { Line } from '../lines.ts';
import { type Service, serve, storeSize } from '../service/process.ts';

/** Batches a second while ids are read, and their connections. The peak of 10 million a day is 347. */
const [RATE, CONNECTIONS] = [347, 64];
/** Seconds between two tries, and seconds after which a collector that takes none has failed. */
const [TRY, LONGEST] = [0.1, 600];

/** Tries to send batches of a day until one is acknowledged. */
async function untilTaken({ port }: Service, day: number): Promise<void> {
  const next = await requests(1, day);
  for (const end = performance.now() + 1_000 * LONGEST; performance.now() < end; )
    if ((await closedLoop(port, 1, next, TRY)).acknowledged > 0) return;
  throw new Error(`expected a batch of day ${day} to be taken within ${LONGEST} s`);
}

/** Asks a collector whether it is ready until it says so. */
async function untilReady({ url }: Service): Promise<void> {
  for (const end = performance.now() + 1_000 * LONGEST; performance.now() < end; await setTimeout(1_000 * TRY))
    if ((await fetch(`${url}/readyz`)).status === 200) return;
  throw new Error(`expected a collector that is ready within ${LONGEST} s`);
}

/** What a start is to reach. */
interface Start {
  readonly ids: number;
  /** The days that have them in equal parts. The last of them is today. */
  readonly days: number;
  readonly seconds: number;
  /** Seconds until a batch of today is taken, at most. */
  readonly atMost: number;
}

/** Starts a collector on so many ids. Resolves to what it has said of its room, too. */
export const startOn = ({ ids, days, seconds, atMost }: Start): Promise<{ readonly said: string; readonly lines: readonly Line[] }> =>
  withFolder(async (folder) => {
    const today = dayNumber(Date.now());
    await fillIds(join(folder, 'data'), ids, { first: today - days + 1, days });
    const disk = storeSize(folder);
    const began = performance.now();
    const service = await serve(folder, schema.document);
    const since = (): number => (performance.now() - began) / 1_000;
    try {
      await untilTaken(service, today);
      const [taken, used] = [since(), service.cpu()];
      await untilReady(service);
      const ready = since();
      const load = await openLoop(service.port, CONNECTIONS, await requests(1, today), seconds, RATE);
      await untilTaken(service, today - Math.min(days - 1, ACCEPTED_DAYS.before));
      const name = `SQLite, ${ids.toExponential().replace('+', '')} ids of ${days} days`;
      const [, said = ''] = /"msg":"(room for [^"]+)"/.exec(service.said()) ?? [];
      const lines = [
        { what: `${name}: listens after`, measured: service.startSeconds, unit: 's' },
        { what: `${name}: takes batches of today after`, measured: taken, unit: 's', target: { atMost } },
        { what: '... of processor time', measured: used, unit: 's' },
        { what: '... says that it is ready after', measured: ready, unit: 's' },
        { what: `... then ${RATE} batches a second, half within`, measured: quantile(load.latencies, 0.5), unit: 'ms' },
        { what: '... 99 %', measured: quantile(load.latencies, 0.99), unit: 'ms' },
        { what: '... refused', measured: load.refused, unit: '', target: { atMost: 0 } },
        { what: `${name}: takes batches of its oldest day after`, measured: since(), unit: 's' },
        { what: '... of processor time', measured: service.cpu(), unit: 's' },
        { what: '... resident memory then', measured: service.memory(), unit: 'MiB' },
        { what: '... on the disk', measured: disk, unit: 'MiB' },
      ];
      return { said: `${name}, said at the start: ${said}`, lines };
    } finally {
      await service.stop();
    }
  });
