/** The embedded store: node:sqlite in this process. A thread of its own writes it, and reads use snapshots. */

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreFull } from '../../base/fault.ts';
import { connect, type Reply, threadFile } from '../../base/threads.ts';
import type { Shapes } from '../../schemas/catalog.ts';
import type { StoreOptions } from '../backend.ts';
import { lock, makeFolder } from '../files/durable.ts';
import { createGroupCommit } from '../group-commit.ts';
import { QUOTA_LIMITS } from '../quota.ts';
import { RETENTION } from '../retention.ts';
import type { Appended, FileSource, Store, StoreSizes } from '../store.ts';
import { openTallies } from '../tallies.ts';
import { idsInMemory, MOST_IDS } from './ids.ts';
import { checkNotMigrated } from './migration-mark.ts';
import { type Done, RESULTS, type Request, type Trouble, type WriterData } from './protocol.ts';
import { DATABASE } from './schema.ts';

/** Size in MiB of the writer's young generation. Otherwise V8 would double it now and then, long into a run, without a benefit. */
const YOUNG = 48;

const isReply = (message: unknown): boolean => !('trouble' in (message as Reply<Done> | Trouble));

/** Options of the store. */
export interface SqliteOptions extends StoreOptions {
  /** The file of the writer thread. */
  readonly writer?: URL;
}

/**
 * Opens the store in a folder, which is created when it does not exist.
 *
 * @param shapes the shapes of every schema whose batches will be appended
 * @throws {RangeError} when the file is not a store, is a later version, was moved, or is open for writing in another process
 * @throws {Error} when the file can't be opened
 */
export async function openSqliteStore(
  folder: string,
  shapes: Shapes,
  {
    writer = threadFile(import.meta.url, 'writer'),
    onTrouble = () => undefined,
    onCommit,
    limits = {},
    retention = {},
  }: SqliteOptions = {},
): Promise<Store & { readonly source: FileSource }> {
  if ((limits.mostIds ?? 0) > MOST_IDS)
    throw new RangeError(`mostIds: expected at most ${MOST_IDS} ids in memory, got ${limits.mostIds}; a database has room for more`);
  makeFolder(folder);
  const unlock = lock(folder);
  try {
    checkNotMigrated(folder);
  } catch (error) {
    unlock();
    throw error;
  }
  const file = join(folder, DATABASE);
  const worker = new Worker(writer, {
    workerData: {
      file,
      shapes,
      limits: { ...QUOTA_LIMITS, mostIds: idsInMemory(), ...limits },
      retention: { ...RETENTION, ...retention },
    } satisfies WriterData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const thread = connect<Request, Done>(worker, 'the store is closed', isReply);
  worker.on('message', (message: Reply<Done> | Trouble) => {
    if ('trouble' in message) onTrouble(message.trouble);
  });
  const ask = (request: Request): Promise<Done> => thread.ask(request, request.kind === 'group' ? [request.group.words.buffer] : []);
  try {
    await thread.reply();
  } catch (error) {
    unlock();
    throw error;
  }
  const { append, settle } = createGroupCommit(async (group) => {
    const { results = [] } = await ask({ kind: 'group', group });
    return Array.from(results, (result) => RESULTS[result] as Appended);
  }, onCommit);
  const source = { file };
  const reader = openTallies(source);
  let closed = false;
  const failed = new Promise<Error>((resolve) => {
    void thread.ended.then((error) => closed || resolve(error));
  });
  const fold = async (): Promise<void> => {
    await settle();
    await ask({ kind: 'fold' });
  };
  const foldIfRoom = (): Promise<void> =>
    fold().catch((error: unknown) => {
      if (!(error instanceof StoreFull)) throw error;
    });
  return {
    append: (entry) => (closed ? Promise.reject(new Error('the store is closed')) : append(entry)),
    fold,
    source,
    totals: async () => {
      await foldIfRoom();
      return reader.totals();
    },
    read: async (selection) => {
      await foldIfRoom();
      return reader.read(selection);
    },
    publish: async (more) => void (await ask({ kind: 'publish', shapes: more })),
    expire: async (day) => void (await ask({ kind: 'expire', day })),
    sizes: async () => (await ask({ kind: 'sizes' })).sizes as StoreSizes,
    failed,
    close: async () => {
      closed = true;
      await settle();
      try {
        await ask({ kind: 'close' });
        await thread.ended; // wait for the thread to end on its own: terminating it could interrupt its own cleanup
      } catch (error) {
        await worker.terminate();
        throw error;
      } finally {
        await reader.close();
        unlock();
      }
    },
  };
}
