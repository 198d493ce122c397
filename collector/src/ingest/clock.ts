/**
 * Doubts the clock of this machine when most batches of the last minutes are of days that are stale or in the future. Such batches are then
 * refused for now (503) instead of for good, so that devices keep them until somebody has set the clock. Batches of other days are
 * counted as always, so nobody can stop a collector by sending wrong days.
 */

import { ACCEPTED_DAYS, dayNumber, dayText, parseDay } from '@murmuration/shared';
import type { Logger } from 'pino';
import { Refusal, refusal } from '../base/refusal.ts';
import type { Commit } from '../storage/store.ts';

const MINUTE = 60_000;
const MINUTES = 5;
/** Fewer wrong days than this say nothing: a device that was off for a month may come back at any time. */
export const LEAST = 3;

interface Counts {
  readonly minute: number;
  timely: number;
  off: number;
}

/** Options of a clock watch. */
export interface ClockWatchOptions {
  readonly log: Logger;
  /** Called with the number of days from the collector's day to the day of a batch. */
  readonly onSkew?: (days: number) => void;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed?: () => number;
}

/** Watches the days of batches. */
export class ClockWatch {
  readonly #log: Logger;
  readonly #onSkew: (days: number) => void;
  readonly #elapsed: () => number;
  #counts: readonly Counts[] = [];
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor({ log, onSkew = () => undefined, elapsed = () => performance.now() }: ClockWatchOptions) {
    this.#log = log;
    this.#onSkew = onSkew;
    this.#elapsed = elapsed;
  }

  /** True if most batches of the last minutes had days that could not be counted. */
  get isDoubtful(): boolean {
    const [timely, off] = this.#sums();
    return off >= LEAST && off > timely;
  }

  /** Records a batch of a day that is accepted. */
  timely(day: number, today: number): void {
    this.#onSkew(day - today);
    this.#last().timely++;
  }

  /** The error to refuse a batch with: the error itself, or a temporary refusal when it is about the day and the clock is in doubt. */
  judge(error: unknown, today: number): unknown {
    if (!(error instanceof Refusal && (error.code === 'stale-day' || error.code === 'future-day'))) return error;
    this.#onSkew((parseDay(error.got) ?? today) - today);
    this.#last().off++;
    if (!this.isDoubtful) return error;
    this.#report(error, today);
    return refusal('clock-in-doubt', `${error.expected}, by a clock that most batches disagree with`, error.got);
  }

  /** Logs the doubt, at most once a minute. */
  #report({ expected, got }: Refusal, today: number): void {
    const now = this.#elapsed();
    if (now - this.#loggedAt < MINUTE) return;
    this.#loggedAt = now;
    const [timely, off] = this.#sums();
    this.#log.fatal(
      { clock: dayText(today), expected, got, timely, off },
      "most batches are of days that can't be counted: check this machine's clock. If it was ahead before, see `murmuration days reopen`",
    );
  }

  #last(): Counts {
    const minute = Math.floor(this.#elapsed() / MINUTE);
    const last = this.#counts.at(-1);
    if (last?.minute === minute) return last;
    const counts = { minute, timely: 0, off: 0 };
    this.#counts = [...this.#counts.filter((each) => each.minute > minute - MINUTES), counts];
    return counts;
  }

  #sums(): readonly [timely: number, off: number] {
    const first = Math.floor(this.#elapsed() / MINUTE) - MINUTES;
    const recent = this.#counts.filter(({ minute }) => minute > first);
    return [recent.reduce((sum, { timely }) => sum + timely, 0), recent.reduce((sum, { off }) => sum + off, 0)];
  }
}

// Decides which days are closed. The ids of a closed day are dropped and its batches are refused for ever, so a clock that is ahead must not
// close days: a day counts only once several commits have held batches of it, or of later days.

/** Ids are kept this many days longer than their batches are accepted, so that no replay can slip in between. */
export const ID_MARGIN = 2;
/** Commits that confirm a day. Fewer commits than this a day only postpone the closing, and then there are few ids to keep. */
export const COMMITS = 10;
/** Milliseconds between two attempts to close days. */
const RETRY = 60_000;

/** Parts that close days. */
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
