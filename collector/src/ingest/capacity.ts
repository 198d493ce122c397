/** Whether there is room for another batch: in memory, by the bytes of what waits for its commit, and on the disk. */

import { statfs } from 'node:fs/promises';
import { refusal } from '../http/refusal.ts';

/** How often the disk is asked, in milliseconds: never while a request waits. */
const EVERY = 1_000;

/** What a request holds beside its body while it waits: its headers, its answer, its place in the queue (44,000 that waited, 8 to a connection, took 12 KB of resident memory each). */
export const REQUEST_BYTES = 12_000;

/** What there is room for. */
export interface CapacityOptions {
  /** Bytes that requests may hold while they wait for their commit: `REQUEST_BYTES` and a body each. */
  readonly mostQueued: number;
  /** Bytes that stay free on the disk. */
  readonly leastFree: number;
  /** How many bytes are free. */
  readonly free: () => Promise<number>;
}

/** The bytes that are free where a folder lies. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Refuses what there is no room for. Where there is room again it takes batches again, without a restart. */
export class Capacity {
  readonly #options: CapacityOptions;
  #queued = 0;
  #isFull = false;
  readonly #timer: NodeJS.Timeout;

  constructor(options: CapacityOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), EVERY).unref();
  }

  /** Looks how much of the disk is free. */
  async look(): Promise<void> {
    const free = await this.#options.free().catch(() => 0);
    this.#isFull = free < this.#options.leastFree;
  }

  /** The disk was full when something was written to it; until the next look. */
  fill(): void {
    this.#isFull = true;
  }

  /** Whether a body of so many bytes may be read. Keeps no place for it, for who sends slowly takes none from others: what has come of it has room of its own (`UnfinishedBodies`). @throws {Refusal} when there is no room */
  check(body: number): void {
    if (this.#isFull) throw refusal('disk-full', 'room on the disk', 'too little of it');
    if (this.#queued + REQUEST_BYTES + body > this.#options.mostQueued) {
      throw refusal('busy', `at most ${this.#options.mostQueued} bytes that wait`, 'more; try again later');
    }
  }

  /** Takes a request into the queue. @throws {Refusal} when there is no room */
  enter(body: number): void {
    this.check(body);
    this.#queued += REQUEST_BYTES + body;
  }

  /** It was answered. */
  leave(body: number): void {
    this.#queued -= REQUEST_BYTES + body;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
