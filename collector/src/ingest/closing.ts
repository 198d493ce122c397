/**
 * Decides which days are closed. The ids of a closed day are dropped and its batches are refused for ever, so a clock that is ahead must not
 * close days: a day counts only once several commits have held batches of it, or of later days.
 */

import { ACCEPTED_DAYS, dayNumber } from '@murmuration/shared';
import type { Commit } from '../storage/store.ts';

/** Ids are kept this many days longer than their batches are accepted, so that no replay can slip in between. */
export const ID_MARGIN = 2;
/** Commits that confirm a day. Fewer commits than this a day only postpone the closing, and then there are few ids to keep. */
export const COMMITS = 10;
/** Milliseconds between two attempts to close days. */
const RETRY = 60_000;

/** What is needed to close days. */
export interface ClosingParts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Closes the days before this one. */
  readonly expire: (day: number) => Promise<void>;
  readonly onTrouble: (message: string) => void;
}

/** Returns the function to call after each commit. It closes days in the background. */
export function createClosing({ now, expire, onTrouble }: ClosingParts): (commit: Commit) => void {
  /** The newest days of the commits with the newest days, ascending. The first of them is the newest confirmed day. */
  let newest: readonly number[] = [];
  let closed = 0;
  let retryAt = 0;

  return ({ newest: day }) => {
    if (day === undefined) return;
    newest = [...newest, day].toSorted((a, b) => a - b).slice(-COMMITS);
    if (newest.length < COMMITS) return;
    const confirmed = Math.min(newest[0] as number, dayNumber(now()));
    const before = confirmed - ACCEPTED_DAYS.before - ID_MARGIN;
    if (before <= closed || performance.now() < retryAt) return;
    const last = closed;
    closed = before;
    expire(before).catch((error: Error) => {
      closed = last;
      retryAt = performance.now() + RETRY;
      onTrouble(`days were not closed: ${error.message}`);
    });
  };
}
