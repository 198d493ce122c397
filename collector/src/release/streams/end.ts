/** Ends streams, and deletes what is kept of them. */

import type { Ledger } from '../../storage/release-ledger.ts';
import { StoreFull } from '../../storage/store.ts';
import { nameOf, type Stream, type StreamState, stateFor } from './stream.ts';

const ANYBODY = { apps: [] };

/** Ends a stream. @throws {RangeError} when there is no such stream */
export const endStream = (ledger: Ledger, who: string, number: number, reason: string): Promise<Stream> =>
  ledger.transact(async (transaction) => {
    const { stream } = await stateFor(transaction, ANYBODY, number);
    if (stream.ended === undefined) {
      await transaction.append(who, { kind: 'stream-end', app: stream.app, analyst: '', question: nameOf(number), body: reason });
      await transaction.log(who, `ended stream ${number} of ${stream.app}: ${reason}`, stream.app);
    }
    await transaction.secrets.drop(number);
    return (await stateFor(transaction, ANYBODY, number)).stream;
  });

/** Deletes what is kept of streams that have ended. A full disk must not keep an answer back, so another look deletes it then. */
export async function dropSecrets(ledger: Ledger, streams: readonly number[]): Promise<void> {
  try {
    await ledger.transact(async ({ secrets }) => {
      for (const stream of streams) await secrets.drop(stream);
    });
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
  }
}

/**
 * Deletes what is still kept of streams that have ended. It comes after the transaction of the last answer, so that a full disk can't tell
 * whether that was hard. A crash in between leaves the secret, so whoever finds such a stream calls this.
 */
export async function dropEnded(ledger: Ledger, states: readonly StreamState[]): Promise<void> {
  const left = states.filter(({ stream, isKept }) => isKept && stream.ended !== undefined);
  if (left.length === 0) return;
  await dropSecrets(
    ledger,
    left.map(({ stream }) => stream.stream),
  );
}

/** Deletes what is kept of the streams of an app, or without one of all. They answer no new questions after that. */
export const forgetStreams = (ledger: Ledger, app?: string): Promise<void> =>
  ledger.transact(async (transaction) => {
    for (const entry of await transaction.find({ kind: 'stream', ...(app !== undefined && { app }) }))
      await transaction.secrets.drop(entry.n);
  });
