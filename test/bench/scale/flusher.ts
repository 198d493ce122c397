/**
 * Flushes in a process of its own, as a collector's are: `node flusher.ts URL DAY`. For each message it prepares flushes of one form, says
 * so, and makes them when it is told to.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { GroupBuilder } from '#collector/storage/group-commit.ts';
import { type Batches, insertIds, readBatches } from '#collector/storage/postgres/batch-ids.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { FORMS } from './forms.ts';

/** What it is told, and what it then says. */
export interface Order {
  readonly form: number;
  readonly flushes: number;
  readonly batches: number;
}
export type Progress = 'ready' | 'done';

const [postgres = '', day = ''] = process.argv.slice(2);

/** Batches whose ids are new. */
function newBatches(count: number): Batches {
  const builder = new GroupBuilder();
  for (let i = 0; i < count; i++) {
    const [id, hash] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    builder.add({ schema: 'app/1/0123456789abcdef', day: Number(day), segment: '{}', id, hash, reports: new Int32Array(3), count: 1 });
  }
  return readBatches(builder.take());
}

const say = (progress: Progress): void => void process.send?.(progress);

const database = new Database({ postgres }, { connections: 1, isGuarded: false });
await database.transaction((query) => query('SELECT 1'));
process.on('message', async (order: Order | 'go') => {
  if (order === 'go') return;
  const work = Array.from({ length: order.flushes }, () => ({
    batches: newBatches(order.batches),
    append: (FORMS[order.form] as (typeof FORMS)[number]).prepare(order.batches),
  }));
  say('ready');
  await once(process, 'message');
  for (const { batches, append } of work) {
    await database.transaction(async (query, last) => {
      const fresh = await insertIds(query, batches);
      if (fresh.length !== order.batches) throw new Error(`expected ${order.batches} ids that are new, got ${fresh.length}`);
      await append(query, last);
    });
  }
  say('done');
});
process.on('disconnect', () => process.exit());
say('ready');
