/** Admission control: whether there is room for another batch, both in memory (bytes that wait for their commit) and on the disk. */

import { refusal } from '../base/refusal.ts';

/** Interval between checks of the free disk space, in milliseconds. The check never runs while a request waits for it. */
const EVERY = 1_000;

/**
 * Bytes that a waiting request holds in addition to its body: headers, response and place in the queue. Measured: 44,000 waiting requests,
 * 8 to a connection, took 12 KB of resident memory each.
 */
export const REQUEST_BYTES = 12_000;

/** The defaults of the limits. */
export const MOST_QUEUED: number = 96 * 2 ** 20;
export const LEAST_FREE: number = 256 * 2 ** 20;

/** The limits. */
export interface CapacityOptions {
  /** Bytes that requests may hold while they wait for their commit. Each counts as `REQUEST_BYTES` plus its body. */
  readonly mostQueued: number;
  /** Bytes that stay free on the disk. */
  readonly leastFree: number;
  /** Returns the number of free bytes. */
  readonly free: () => Promise<number>;
}

/** Refuses requests while there is no room for them. Accepts them again once there is room, without a restart. */
export class Capacity {
  readonly #options: CapacityOptions;
  #queued = 0;
  #isFull = false;
  #free: number | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(options: CapacityOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), EVERY).unref();
  }

  /** Bytes that requests hold while they wait for their commit, and the most that they may hold. */
  get queued(): number {
    return this.#queued;
  }

  get mostQueued(): number {
    return this.#options.mostQueued;
  }

  /** True if the disk has no room for batches. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The free bytes of the disk when it was last looked at, and the least that stay free. */
  get free(): number | undefined {
    return this.#free;
  }

  get leastFree(): number {
    return this.#options.leastFree;
  }

  /** Checks the free disk space. */
  async look(): Promise<void> {
    this.#free = await this.#options.free().catch(() => 0);
    this.#isFull = this.#free < this.#options.leastFree;
  }

  /** Records that a write failed because the disk was full. Holds until the next check. */
  fill(): void {
    this.#isFull = true;
  }

  /**
   * Checks whether a body of this many bytes may be read. Reserves nothing, so a slow sender takes no room from others; the part that has
   * arrived counts against its own budget (`UnfinishedBodies`).
   *
   * @throws {Refusal} when there is no room
   */
  check(body: number): void {
    if (this.#isFull) throw refusal('disk-full', 'room on the disk', 'too little of it');
    if (this.#queued + REQUEST_BYTES + body > this.#options.mostQueued) {
      throw refusal('busy', `at most ${this.#options.mostQueued} bytes that wait`, 'more; try again later');
    }
  }

  /** Adds a request to the queue. @throws {Refusal} when there is no room */
  enter(body: number): void {
    this.check(body);
    this.#queued += REQUEST_BYTES + body;
  }

  /** Removes a request that was answered. */
  leave(body: number): void {
    this.#queued -= REQUEST_BYTES + body;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
