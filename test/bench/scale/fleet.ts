/**
 * Collectors on one database, simulated. A collector takes what has arrived in turns of its event loop, gathers it, and flushes it. A second
 * flush begins beside one that is slow, or for a whole group, as `group-commit.ts` does. A flush works on a processor of the database, and then waits for the disk and for the standby. Batches are
 * simulated in bunches that arrive together.
 */

import type { Clock, Pool } from './events.ts';

/** What a batch and a flush cost, in processor seconds and seconds. Measured by `calibrate.ts`. */
export interface Costs {
  /** CPU time of the collector, for each batch and each flush; folds included. */
  readonly collectorBatch: number;
  readonly collectorFlush: number;
  /** Of the database. */
  readonly databaseBatch: number;
  readonly databaseFlush: number;
  /** Of whoever sends, for each batch, where it shares the machine. */
  readonly clientBatch: number;
  /** Seconds that a flush waits without a processor: for its round trips, the disk and the standby. */
  readonly commit: number;
  /** Seconds that each batch adds to its flush, where the index of ids is not in memory. */
  readonly read: number;
}

/** Batches that were sent at one moment. */
export interface Bunch {
  readonly count: number;
  /** When they were first sent, and when they were sent this time. */
  readonly first: number;
  readonly sent: number;
}

/** What becomes of a bunch. */
export type Answer = 'acknowledged' | 'refused';

/** Flushes at a time and seconds after which one is slow, as in the store, and the most batches of one: 10 reports each fill a group. */
const LANES = { most: 2, patience: 0.05 };
const MOST = 4_000;

/** Seconds by which sums of times may differ. */
const ROUNDING = 1e-9;

/** A database. */
export class SimulatedDatabase {
  readonly #clock: Clock;
  readonly #pool: Pool;
  readonly #costs: Costs;
  isUp = true;
  flushes = 0;

  constructor(clock: Clock, pool: Pool, costs: Costs) {
    this.#clock = clock;
    this.#pool = pool;
    this.#costs = costs;
  }

  /** Flushes so many batches. */
  flush(count: number, done: (isCommitted: boolean) => void): void {
    if (!this.isUp) return this.#clock.after(this.#costs.commit, () => done(false));
    const { databaseBatch, databaseFlush, commit, read } = this.#costs;
    this.#pool.work(databaseFlush + count * databaseBatch, () =>
      this.#clock.after(commit + count * read, () => {
        if (this.isUp) this.flushes++;
        done(this.isUp);
      }),
    );
  }
}

/** A collector. */
export class SimulatedCollector {
  readonly #clock: Clock;
  readonly #pool: Pool;
  readonly #database: SimulatedDatabase;
  readonly #costs: Costs;
  readonly #answer: (bunch: Bunch, answer: Answer) => void;
  #arrived: Bunch[] = [];
  #gathered: Bunch[] = [];
  #isBusy = false;
  #running = 0;
  /** When the last flush began, and whether a look at it is due. */
  #began = 0;
  #isWatched = false;
  isUp = true;
  /** Counts the times that it was killed: what began before is lost. */
  #life = 0;

  constructor(clock: Clock, pool: Pool, database: SimulatedDatabase, costs: Costs, answer: (bunch: Bunch, answer: Answer) => void) {
    this.#clock = clock;
    this.#pool = pool;
    this.#database = database;
    this.#costs = costs;
    this.#answer = answer;
  }

  /** The batches that wait for their answer, except those of running flushes. */
  get waiting(): number {
    return [...this.#arrived, ...this.#gathered].reduce((sum, { count }) => sum + count, 0);
  }

  receive(bunch: Bunch): void {
    if (!this.isUp || !this.#database.isUp) return this.#answer(bunch, 'refused');
    this.#arrived.push(bunch);
    this.#turn();
  }

  /** Ends it. What it has not answered is sent again by devices, after a while. */
  kill(): void {
    const lost = [...this.#arrived.splice(0), ...this.#gathered.splice(0)];
    this.isUp = false;
    this.#isBusy = false;
    this.#running = 0;
    this.#life++;
    for (const bunch of lost) this.#answer(bunch, 'refused');
  }

  #turn(): void {
    if (this.#isBusy || this.#arrived.length === 0) return;
    const [taken, life] = [this.#arrived.splice(0), this.#life];
    this.#isBusy = true;
    this.#pool.work(this.#costs.collectorBatch * taken.reduce((sum, { count }) => sum + count, 0), () => {
      if (life !== this.#life) {
        for (const bunch of taken) this.#answer(bunch, 'refused');
        return;
      }
      this.#isBusy = false;
      this.#gathered.push(...taken);
      this.#flush();
      this.#turn();
    });
  }

  /** Whether a flush may begin beside those that run. */
  #mayBegin(): boolean {
    if (this.#running === 0) return true;
    if (this.#running === LANES.most) return false;
    return this.#clock.now > this.#began + LANES.patience - ROUNDING || this.#gathered.reduce((sum, { count }) => sum + count, 0) >= MOST;
  }

  /** Looks again when the last flush is slow. */
  #watch(): void {
    if (this.#isWatched || this.#running !== 1 || this.#gathered.length === 0) return;
    this.#isWatched = true;
    this.#clock.after(this.#began + LANES.patience - this.#clock.now, () => {
      this.#isWatched = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#gathered.length > 0 && this.#mayBegin()) {
      this.#began = this.#clock.now;
      const group: Bunch[] = [];
      let count = 0;
      for (let next = this.#gathered[0]; next !== undefined && (count === 0 || count + next.count <= MOST); next = this.#gathered[0]) {
        this.#gathered.shift();
        group.push(next);
        count += next.count;
      }
      const life = this.#life;
      this.#running++;
      this.#pool.work(this.#costs.collectorFlush, () =>
        this.#database.flush(count, (isCommitted) => {
          for (const bunch of group) this.#answer(bunch, isCommitted && life === this.#life ? 'acknowledged' : 'refused');
          if (life !== this.#life) return;
          this.#running--;
          this.#flush();
        }),
      );
    }
    this.#watch();
  }
}
