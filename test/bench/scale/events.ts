/** A simulation in discrete events: a clock, and pools of processors that their jobs share equally. */

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** The things to come, the earliest first, and of those at the same time the one that was planned first. */
class Agenda {
  readonly #heap: Event[] = [];

  get next(): Event | undefined {
    return this.#heap[0];
  }

  static #isBefore(a: Event, b: Event): boolean {
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  add(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    for (; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!Agenda.#isBefore(event, heap[parent] as Event)) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  take(): Event | undefined {
    const heap = this.#heap;
    const [first, last] = [heap[0], heap.pop()];
    if (heap.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && Agenda.#isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
      if (child >= heap.length || !Agenda.#isBefore(heap[child] as Event, last)) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

/** The clock. Times are in seconds. */
export class Clock {
  readonly #agenda = new Agenda();
  #order = 0;
  now = 0;

  after(seconds: number, run: () => void): void {
    this.#agenda.add({ at: this.now + seconds, order: this.#order++, run });
  }

  /** Lets time pass up to this one. */
  runUntil(end: number): void {
    for (let next = this.#agenda.next; next !== undefined && next.at <= end; next = this.#agenda.next) {
      this.#agenda.take();
      this.now = next.at;
      next.run();
    }
    this.now = end;
  }
}

interface Job {
  /** The work that each job has had when this one is done. */
  readonly end: number;
  readonly done: () => void;
}

/** Processors. Each job uses one at most; when there are more jobs than processors, each gets an equal part. */
export class Pool {
  readonly #clock: Clock;
  readonly #cores: number;
  #jobs: Job[] = [];
  /** The work that a job would have had, had it been there from the start. */
  #had = 0;
  #at = 0;
  #plan = 0;
  /** Processor seconds that were used. */
  used = 0;

  constructor(clock: Clock, cores: number) {
    this.#clock = clock;
    this.#cores = cores;
  }

  get #rate(): number {
    return this.#jobs.length === 0 ? 0 : Math.min(1, this.#cores / this.#jobs.length);
  }

  /** Does so many processor seconds of work. */
  work(seconds: number, done: () => void): void {
    this.#advance();
    this.#jobs.push({ end: this.#had + seconds, done });
    this.#schedule();
  }

  #advance(): void {
    const passed = this.#clock.now - this.#at;
    this.used += passed * this.#rate * this.#jobs.length;
    this.#had += passed * this.#rate;
    this.#at = this.#clock.now;
  }

  #schedule(): void {
    const plan = ++this.#plan;
    if (this.#jobs.length === 0) return;
    const first = Math.min(...this.#jobs.map(({ end }) => end));
    this.#clock.after(Math.max(0, first - this.#had) / this.#rate, () => {
      if (plan !== this.#plan) return; // others came or went meanwhile
      this.#advance();
      const isDone = ({ end }: Job): boolean => end <= first;
      const done = this.#jobs.filter(isDone);
      this.#jobs = this.#jobs.filter((job) => !isDone(job));
      this.#schedule();
      for (const job of done) job.done();
    });
  }
}
