/** Whether there is room for another batch: in memory, by the bytes that wait for their commit, and on the disk. */

import { statfs } from 'node:fs/promises';
import { Refusal } from '@murmuration/shared';

/** How often the disk is asked, in milliseconds: never while a request waits. */
const EVERY = 1_000;

/** What there is room for. */
export interface RoomOptions {
  /** Bytes of bodies that may wait for their commit. */
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
export class Room {
  readonly #options: RoomOptions;
  #queued = 0;
  #isFull = false;
  readonly #timer: NodeJS.Timeout;

  constructor(options: RoomOptions) {
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

  /** @throws {Refusal} before anything is read */
  checkDisk(): void {
    if (this.#isFull) throw new Refusal('disk-full', 'room on the disk', 'too little of it');
  }

  /** Takes bytes into the queue. @throws {Refusal} when it has no room */
  enter(bytes: number): void {
    if (this.#queued + bytes > this.#options.mostQueued) {
      throw new Refusal('busy', `at most ${this.#options.mostQueued} bytes that wait`, 'more; try again later');
    }
    this.#queued += bytes;
  }

  /** They were answered. */
  leave(bytes: number): void {
    this.#queued -= bytes;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
