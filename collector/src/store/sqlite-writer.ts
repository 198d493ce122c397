/**
 * The writer thread: it owns the database, because a commit waits for the disk and must not block the event loop. The log is added to the
 * tallies ("folded") when it is large enough, after a second, or before a read. Work that can wait is done in slices between commits.
 */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createDeferred } from './deferred.ts';
import type { Reply, Request, Trouble, WriterData } from './sqlite-protocol.ts';
import { openForWriting } from './sqlite-schema.ts';
import { LogAndMemoryDiffer, Writer } from './writer.ts';

/** The age of a log in milliseconds at which it is folded. */
const LONGEST = 1_000;
/**
 * Every `TRACES` milliseconds, the writer truncates the WAL, which still holds rows that folds have deleted. While batches arrive this is
 * postponed up to `MOST_PUT_OFF` times, because new commits overwrite the WAL anyway.
 */
const TRACES = 10_000;
const MOST_PUT_OFF = 30;

const SQLITE_FULL = 13;

/** Opens the store and serves requests one after the other, with one reply each. */
export function serveWriter(port: MessagePort, { file, shapes, limits, retention }: WriterData): void {
  const writer = new Writer(openForWriting(file), shapes, limits);
  const say = (trouble: string): void => port.postMessage({ trouble } satisfies Trouble);
  const folding = createDeferred(LONGEST, () => writer.fold(), say);
  let [isBusy, putOff] = [false, 0];
  const erase = (): boolean => {
    if (isBusy && putOff++ < MOST_PUT_OFF) {
      isBusy = false;
      return false;
    }
    putOff = 0;
    return writer.erase();
  };
  const erasing = createDeferred(TRACES, erase, say);
  const forgetting = createDeferred(0, () => writer.forget(), say, LONGEST);
  forgetting.plan(); // continues what a stop has interrupted
  const following = createDeferred(0, () => writer.follow(), say, LONGEST);
  const retaining = createDeferred(
    0,
    () => {
      writer.retain(writer.reached, retention);
      following.plan();
      return true;
    },
    say,
    LONGEST,
  );
  retaining.plan();
  erasing.plan(); // clears the WAL that a crash may have left
  const answer = (request: Request): Reply => {
    if (request.kind === 'group') {
      const results = writer.commit(request.group);
      isBusy = true;
      folding.plan();
      erasing.plan();
      return { results };
    }
    if (request.kind === 'fold') writer.fold();
    if (request.kind === 'expire') {
      writer.expire(request.day);
      forgetting.plan();
      retaining.plan();
    }
    if (request.kind === 'close') {
      for (const work of [forgetting, retaining, following]) work.cancel();
      folding.cancel();
      erasing.cancel();
      writer.close();
    }
    return {};
  };
  port.on('message', (request: Request) => {
    let reply: Reply;
    try {
      reply = answer(request);
    } catch (error) {
      if (error instanceof LogAndMemoryDiffer) throw error; // ends the thread
      reply = { error: (error as Error).message, isFull: (error as { readonly errcode?: number }).errcode === SQLITE_FULL };
    }
    port.postMessage(reply);
    if (request.kind === 'close' && reply.error === undefined) port.close();
  });
  port.postMessage({} satisfies Reply);
}

if (parentPort !== null) serveWriter(parentPort, workerData as WriterData);
