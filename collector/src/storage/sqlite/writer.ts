/**
 * The writer thread: it owns the database, because a commit waits for the disk and must not block the event loop. The log is added to the
 * tallies ("folded") when it is large enough, after a second, or before a read. Work that can wait is done in slices between commits.
 */

import type { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { InternalFault, StoreFull } from '../../base/fault.ts';
import { failed, type Reply } from '../../base/threads.ts';
import type { Shapes } from '../../schemas/catalog.ts';
import { LogAndMemoryDiffer, Superseded, Writer } from './commit-log.ts';
import type { Done, Request, Trouble, WriterData } from './protocol.ts';
import { isCurrent, openForWriting } from './schema.ts';

/** The age of a log in milliseconds at which it is folded. */
const LONGEST = 1_000;
/**
 * Every `TRACES` milliseconds, the writer truncates the WAL, which still holds rows that folds have deleted. While batches arrive this is
 * postponed up to `MOST_PUT_OFF` times, because new commits overwrite the WAL anyway.
 */
const TRACES = 10_000;
const MOST_PUT_OFF = 30;

const SQLITE_FULL = 13;
/** No room for the memory that connections share, which is a file beside the database. */
const SQLITE_IOERR_SHMSIZE = 4_874;

/** The error of a store that could not be opened for writing, because the disk is full. */
class NoRoom extends InternalFault {
  readonly errcode = SQLITE_FULL;
}

const isFull = (error: unknown): boolean => {
  const { errcode = 0 } = error as { readonly errcode?: number };
  return errcode === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE;
};

/** True if the writer must not go on. */
const isFinal = (error: unknown): boolean => error instanceof LogAndMemoryDiffer || error instanceof Superseded;

/** A piece of deferred work. */
interface Deferred {
  readonly plan: () => void;
  readonly cancel: () => void;
}

/**
 * Deferred work: it runs once, `delay` milliseconds after the first of several requests for it, and again where it returns that it is not
 * done, or `patience` milliseconds after it has thrown. An error after which the writer must not go on ends the thread.
 */
const deferring =
  (say: (trouble: string) => void) =>
  (delay: number, work: () => boolean, patience: number = delay): Deferred => {
    let timer: NodeJS.Timeout | undefined;
    const plan = (wait: number = delay): void => {
      timer ??= setTimeout(run, wait);
    };
    const run = (): void => {
      timer = undefined;
      try {
        if (!work()) plan();
      } catch (error) {
        if (isFinal(error))
          setImmediate(() => {
            throw error;
          });
        say((error as Error).message);
        plan(patience);
      }
    };
    return { plan: () => plan(), cancel: () => clearTimeout(timer) };
  };

/** Opens the store for writing; undefined while the disk has no room for it. @throws {Error} when it can't be opened at all */
function openWriter({ file, limits }: WriterData, shapes: Shapes): Writer | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = openForWriting(file);
    return new Writer(database, shapes, limits);
  } catch (error) {
    database?.close();
    if (isFull(error) && isCurrent(file)) return undefined;
    throw error;
  }
}

/** Opens the store and serves requests one after the other, with one reply each. On a full disk, it opens the store once there is room. */
export function serveWriter(port: MessagePort, data: WriterData): void {
  let { shapes } = data;
  let opened = openWriter(data, shapes);
  const writer = (): Writer => {
    if (opened === undefined) throw new NoRoom('database or disk is full');
    return opened;
  };
  const say = (trouble: string): void => port.postMessage({ trouble } satisfies Trouble);
  const defer = deferring(say);
  const folding = defer(LONGEST, () => writer().fold());
  let [isBusy, putOff] = [false, 0];
  const erase = (): boolean => {
    if (isBusy && putOff++ < MOST_PUT_OFF) {
      isBusy = false;
      return false;
    }
    putOff = 0;
    return writer().erase();
  };
  const erasing = defer(TRACES, erase);
  const forgetting = defer(0, () => writer().forget(), LONGEST);
  const following = defer(0, () => writer().follow(), LONGEST);
  const retain = (): true => {
    writer().retain(writer().reached, data.retention);
    following.plan();
    return true;
  };
  const retaining = defer(0, retain, LONGEST);
  const reading = defer(0, () => writer().readIds());
  const begin = (): boolean => {
    opened ??= openWriter(data, shapes);
    if (opened === undefined) return false;
    for (const work of [reading, forgetting, retaining, erasing]) work.plan(); // what a stop has interrupted, and the WAL that a crash may have left
    return true;
  };
  const opening = defer(LONGEST, begin);
  if (!begin()) {
    say('the disk is full: the store is only read until there is room');
    opening.plan();
  }
  const answer = (request: Request): Done => {
    if (request.kind === 'close') {
      for (const work of [opening, reading, folding, erasing, forgetting, retaining, following]) work.cancel();
      opened?.close();
      return {};
    }
    if (request.kind === 'group') {
      const results = writer().commit(request.group);
      isBusy = true;
      folding.plan();
      erasing.plan();
      return { results };
    }
    if (request.kind === 'sizes') return { sizes: writer().sizes };
    if (request.kind === 'fold') writer().fold();
    if (request.kind === 'publish') {
      shapes = new Map([...shapes, ...request.shapes]);
      opened?.publish(request.shapes);
    }
    if (request.kind === 'expire') {
      writer().expire(request.day);
      forgetting.plan();
      retaining.plan();
    }
    return {};
  };
  port.on('message', (request: Request) => {
    let reply: Reply<Done>;
    try {
      reply = { value: answer(request) };
    } catch (error) {
      if (isFinal(error)) throw error; // ends the thread
      reply = failed(isFull(error) ? new StoreFull((error as Error).message) : error);
    }
    port.postMessage(reply);
    if (request.kind === 'close' && 'value' in reply) port.close();
  });
  port.postMessage({ value: {} } satisfies Reply<Done>);
}

if (parentPort !== null) serveWriter(parentPort, workerData as WriterData);
