/** Races: commits whose answer is lost, one batch in many collectors, and folds at once. */

import { dayNumber } from '@murmuration/shared';
import { parseBatch } from '#collector/ingest/parse-batch.ts';
import { publish } from '#collector/schemas/catalog.ts';
import type { Entry, Store } from '#collector/storage/store.ts';
import { bodyOf, countsOf, describe, document, wire } from '../cells.ts';
import { failuresOf, type Outcome, sleep } from '../outcome.ts';
import { beginRun, refusedTo } from './check.ts';
import { withCluster } from './cluster.ts';
import { startProxy } from './proxy.ts';

/** Cuts connections at a COMMIT, this many times: before it arrives, and after it was answered. */
export const cuts = (times: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const run = beginRun(cluster);
    const proxy = await startProxy(cluster.url);
    const server = await cluster.serve('cut', proxy.url);
    const end = run.load([server], 32);
    for (let round = 0; round < times; round++) {
      const before = proxy.cuts();
      proxy.set(round % 4 === 0 ? 'cut-before-commit' : 'cut-after-commit', 1);
      while (proxy.cuts() === before) await sleep(2);
      await run.acknowledged(20);
    }
    await end();
    const verdict = await run.settle(server);
    await server.stop('SIGTERM');
    await proxy.close();
    return {
      fault: 'connection cut at COMMIT',
      tried: `${times} cuts, three of four after the database had answered, 32 clients`,
      seen: `${describe(verdict)}; ${refusedTo(run.devices)}`,
      failures: run.failures.list(),
    };
  });

const published = publish(document);

/** Batch n as a collector takes it. */
function entryOf(n: number, today: number): Entry {
  const body = bodyOf(n, today);
  return {
    ...parseBatch(body, { get: (name) => (name === wire ? published : undefined) }, today),
    hash: body.length.toString(16).padStart(64, '0'),
  };
}

/** Sends each of so many batches to four collectors at once. */
export const sameBatch = (times: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const [failures, today] = [failuresOf(), dayNumber(Date.now())];
    const stores = await Promise.all(Array.from({ length: 4 }, () => cluster.open()));
    for (let n = 0; n < times; n++) {
      const results = await Promise.all(stores.map((store) => store.append(entryOf(n, today))));
      if (results.toSorted().join() !== 'counted,duplicate,duplicate,duplicate')
        failures.add('not one of four has counted it', results.join());
    }
    const [store] = stores as [Store];
    const { symbol, bits } = await countsOf(store, times, today);
    const wrong = symbol.filter((count, n) => count !== 1 || bits[n] !== 1).length;
    if (wrong > 0) failures.add('batches are not there exactly once', `${wrong} of them`);
    await Promise.all(stores.map((each) => each.close()));
    return {
      fault: 'one batch to four collectors at once',
      tried: `${times} batches`,
      seen: `each counted once, ${3 * times} duplicates`,
      failures: failures.list(),
    };
  });

/** Folds in four collectors without a pause, while four append. */
export const folds = (batches: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const [failures, today] = [failuresOf(), dayNumber(Date.now())];
    const stores = await Promise.all(Array.from({ length: 4 }, () => cluster.open()));
    let [isOn, rounds, reads] = [true, 0, 0];
    const folding = stores.map(async (store) => {
      for (; isOn; rounds++) await store.fold();
    });
    const reading = (async () => {
      for (let last = 0; isOn; reads++) {
        const total = (await (stores[0] as Store).totals()).find(({ metric }) => metric === 'symbol')?.reports ?? 0;
        if (total < last) failures.add('a reader has seen fewer reports than before', `${total} after ${last}`);
        last = total;
      }
    })();
    for (let n = 0; n < batches; n += 40) {
      const entries = Array.from({ length: Math.min(40, batches - n) }, (_, i) => entryOf(n + i, today));
      await Promise.all(entries.map((entry, i) => (stores[i % 4] as Store).append(entry)));
    }
    isOn = false;
    await Promise.all([...folding, reading]);
    const { symbol, bits } = await countsOf(stores[0] as Store, batches, today);
    const wrong = symbol.filter((count, n) => count !== 1 || bits[n] !== 1).length;
    if (wrong > 0) failures.add('batches are not there exactly once', `${wrong} of them`);
    await Promise.all(stores.map((each) => each.close()));
    return {
      fault: 'folds in four collectors at once',
      tried: `${batches} batches while each folds without a pause`,
      seen: `${rounds} folds, ${reads} reads of totals that never fell, each batch counted once`,
      failures: failures.list(),
    };
  });
