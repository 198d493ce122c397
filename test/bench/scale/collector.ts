/** A collector on PostgreSQL in a process of its own, so that its processor time is its own: `node collector.ts URL DAY`. Its clock shows that day. */

import { createCollector } from '@murmuration/collector';
import { dayNumber } from '@murmuration/shared';
import { DAY_MS } from '#collector/base/days.ts';
import { schema } from '../ingest/schema.ts';
import type { Usage } from './measure.ts';

const [postgres = '', day = ''] = process.argv.slice(2);
const ahead = (Number(day) - dayNumber(Date.now())) * DAY_MS;
const collector = await createCollector({ open: true, schemas: [schema.document], postgres, now: () => Date.now() + ahead });
const address = await collector.listen(0, '127.0.0.1');
process.on('message', async () => {
  const text = await (await fetch(`${address}/metrics`)).text();
  const flushes = Number(/^murmuration_commit_seconds_count (\d+)/m.exec(text)?.[1]);
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: (user + system) / 1e6, flushes } satisfies Usage);
});
process.on('disconnect', () => {
  void collector.close().then(() => process.exit());
});
process.send?.({ port: Number(new URL(address).port) });
