/**
 * Whose turn it is to use a connection. Only so many transactions run at a time: the driver would take a long wait for a connection for a
 * database that does not answer. While no more connections can be made, fewer run, on those that there are.
 */

/** Milliseconds for which no more connections are tried. */
const FEW = 10_000;

/** Gives transactions their turn. */
export class Turns {
  readonly #usual: number;
  #most: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param most how many may run at a time */
  constructor(most: number) {
    this.#usual = most;
    this.#most = most;
  }

  /** Runs work when it is its turn. @param check called before it waits, and whenever the wait ends; may throw */
  async take<T>(work: () => Promise<T>, check: () => void): Promise<T> {
    for (check(); this.#running >= this.#most; check()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  /** Lets no more run than there are connections, and tries after a while whether there may be more. */
  shrink(connections: number): void {
    this.#most = Math.max(1, Math.min(this.#most, connections));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#most = this.#usual;
      this.wake();
    }, FEW).unref();
  }

  /** Ends the wait of all, so that each looks again whether it may run. */
  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
