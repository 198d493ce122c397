/** Rate-limits log lines about a retrying store: a trouble that comes and goes would fill the log. */

/** Milliseconds between two lines about a database that goes away again and again, and about the same trouble. */
const AWAY = 60_000;
const SAME = 600_000;

/** A log of troubles that leaves repetitions out. */
export class LogThrottle {
  readonly #onTrouble: (message: string) => void;
  readonly #loggedAt = new Map<string, number>();
  #awayAt = Number.NEGATIVE_INFINITY;
  #isAwayLogged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(onTrouble: (message: string) => void) {
    this.#onTrouble = onTrouble;
  }

  /** Logs a trouble, unless one of its kind was logged a while ago. */
  log(kind: string, message: string): void {
    const now = performance.now();
    for (const [each, at] of this.#loggedAt) if (at + SAME <= now) this.#loggedAt.delete(each);
    if (this.#loggedAt.has(kind)) return;
    this.#loggedAt.set(kind, now);
    this.#onTrouble(message);
  }

  /** Logs that the database does not answer: at once, or after a while if that was logged a moment ago and it is still so then. */
  away(reason: string): void {
    const wait = this.#awayAt + AWAY - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#logAway(reason), wait).unref();
    else this.#logAway(reason);
  }

  /** Logs that it answers again, if it was logged that it does not. */
  back(): void {
    clearTimeout(this.#timer);
    if (this.#isAwayLogged) this.#onTrouble('the database answers again');
    this.#isAwayLogged = false;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #logAway(reason: string): void {
    this.#awayAt = performance.now();
    this.#isAwayLogged = true;
    this.#onTrouble(`the database does not answer: ${reason}`);
  }
}
