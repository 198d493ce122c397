/** Rate-limits log lines about a retrying store: a trouble that comes and goes would fill the log. */

/** Milliseconds between two lines about a database that goes away again and again, and about the same trouble. */
const AWAY = 60_000;
const SAME = 600_000;

/** Tells troubles. */
export class Telling {
  readonly #onTrouble: (message: string) => void;
  readonly #told = new Map<string, number>();
  #awayAt = Number.NEGATIVE_INFINITY;
  #isAwayTold = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(onTrouble: (message: string) => void) {
    this.#onTrouble = onTrouble;
  }

  /** Tells a trouble, unless one of its kind was told a while ago. */
  tell(kind: string, message: string): void {
    const now = performance.now();
    for (const [each, at] of this.#told) if (at + SAME <= now) this.#told.delete(each);
    if (this.#told.has(kind)) return;
    this.#told.set(kind, now);
    this.#onTrouble(message);
  }

  /** Tells that the database does not answer: at once, or after a while if that was told a moment ago and it is still so then. */
  away(reason: string): void {
    const wait = this.#awayAt + AWAY - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#tellAway(reason), wait).unref();
    else this.#tellAway(reason);
  }

  /** Tells that it answers again, if it was told that it does not. */
  back(): void {
    clearTimeout(this.#timer);
    if (this.#isAwayTold) this.#onTrouble('the database answers again');
    this.#isAwayTold = false;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #tellAway(reason: string): void {
    this.#awayAt = performance.now();
    this.#isAwayTold = true;
    this.#onTrouble(`the database does not answer: ${reason}`);
  }
}
