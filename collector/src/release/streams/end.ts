/** Ends streams, and deletes what is kept of them. */

import type { Ledger } from '../budget/ledger.ts';
import { nameOf, type StreamState, stateIn } from './stream.ts';

/** Ends a stream. @throws {RangeError} when there is no such stream */
export const endStream = (ledger: Ledger, who: string, number: number, reason: string): Promise<StreamState> =>
  ledger.transact(async (transaction) => {
    const { stream } = await stateIn(transaction, number);
    if (stream.ended === undefined) {
      await transaction.append(who, { kind: 'stream-end', app: stream.app, analyst: '', question: nameOf(number), body: reason });
      await transaction.log(who, `ended stream ${number} of ${stream.app}: ${reason}`, stream.app);
    }
    await transaction.secrets.drop(number);
    return stateIn(transaction, number);
  });

/** Deletes what is kept of the streams of an app, or without one of all. They answer no new questions after that. */
export const forgetStreams = (ledger: Ledger, app?: string): Promise<void> =>
  ledger.transact(async (transaction) => {
    for (const entry of await transaction.find({ kind: 'stream', ...(app !== undefined && { app }) }))
      await transaction.secrets.drop(entry.n);
  });
