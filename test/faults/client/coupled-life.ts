/**
 * A machine on which everything that anybody could notice is written down, and whose coins depend on the event that throws them: not on
 * the clock, nor on how many were thrown before. Two lives on it that differ in hidden records can be compared line by line.
 */

import {
  createTelemetry,
  type Delivery,
  type Rng,
  type Spill,
  type Storage,
  type Telemetry,
  type Transport,
  type Updated,
} from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import { HIDDEN, hides, hidesIn, type Release, releases } from './coupled-schemas.ts';
import { throughRelay } from './through-relay.ts';
import { seedOf, visibleTo } from './visible.ts';

/** `held`: a transaction has decided, and is not committed before the storage works again. */
export type Health = 'works' | 'reads fail' | 'writes fail' | 'held' | 'throws';
export type Network = 'works' | 'busy' | 'down' | 'offline' | 'silent' | 'refuses' | 'stops';

/** A page, a worker or a program, of which several may be open. */
export interface Setup {
  readonly seed: number;
  /** Whether transactions answer later. */
  readonly isLater: boolean;
  readonly hasSpill: boolean;
  /** Whether a note beside the ledger says that the person agrees. */
  readonly hasNote: boolean;
  /** Whether contexts hear of what others write into the spill. */
  readonly hasNews: boolean;
  readonly consent: 'ask' | 'granted';
  readonly upload: 'soon' | 'later';
  readonly sampleRate: number;
  readonly batchesPerDay: number;
  /** Whether reports leave through a relay. */
  readonly isRelayed: boolean;
}

/** An open context. */
interface Context {
  readonly name: string;
  readonly release: Release;
  readonly telemetry: Telemetry<never>;
  readonly tell: (event: 'flush' | 'leave' | 'return') => unknown;
  isAlive: boolean;
  isAway: boolean;
  /** After so many more transactions the context dies, with the last one written or not. */
  fuse: { steps: number; readonly isWritten: boolean } | undefined;
}

interface Step {
  readonly context: Context;
  readonly run: () => void;
  readonly abort: () => void;
}

const START = Date.UTC(2026, 10, 20, 8);
export const DAY = 86_400_000;
/** The time after which a browser has written `localStorage` to the disk. */
const UNWRITTEN = 1_000;
/** A task of its own, as the events of a database are: words that were drawn in another are gone. */
const task = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const visible = visibleTo((metric) => HIDDEN.includes(metric), hidesIn);

export type Life = ReturnType<typeof createLife>;

/** @param isHiding whether hidden records take place */
export function createLife(setup: Setup, isHiding: boolean) {
  const trace: string[] = [];
  let now = START;
  let [event, root, fills, opened, steps] = ['', '', 0, 0, 0];
  const at = (): string => `${((now - START) / 1_000).toFixed(1)}`;
  const note = (context: Context | undefined, text: string): void => {
    if (!context || context.isAlive) trace.push(`${at()} ${context?.name ?? ''} ${text}`);
  };
  /** From now on, coins are those of this event. */
  const begin = (name: string): void => {
    [event, root, fills, steps] = [name, name, 0, 0];
  };
  const rng: Rng = (bytes) => seededRng(seedOf(`${setup.seed} ${event} ${fills++}`))(bytes);
  /** The rng of one metric's randomizer, which throws its own coins. */
  const own = (metric: string): Rng => seededRng(seedOf(`${setup.seed} ${event} ${metric}`));
  const schemas = releases(own, setup.isRelayed);

  // Time.
  let timers: { readonly at: number; readonly context: Context; readonly run: () => unknown }[] = [];
  let ticks = 0;
  const settle = async (): Promise<void> => {
    do for (let i = 0; i < 2; i++) await task();
    while (isRunning || looking > 0 || relay.isBusy());
  };
  const wait = async (milliseconds: number): Promise<void> => {
    await settle();
    const end = now + milliseconds;
    for (;;) {
      const [next] = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      timers = timers.filter((timer) => timer !== next);
      now = Math.max(now, next.at);
      if (!next.context.isAlive || next.context.isAway) continue;
      begin(`tick ${ticks++}`);
      next.run();
      await settle();
    }
    now = Math.max(now, end);
  };

  // The note beside the ledger. A look for it takes a task and waits for no transaction, and it is erased at once.
  let isNoted = false;
  let looking = 0;
  const agreedOf =
    (context: () => Context): NonNullable<Storage['agreed']> =>
    async (_key, change) => {
      if (!context().isAlive) return new Promise(() => {});
      note(context(), change === undefined ? 'looks for the note' : `${change ? 'writes' : 'erases'} the note`);
      const isFailing = health === 'throws' || health === (change === undefined ? 'reads fail' : 'writes fail');
      if (change === false && !isFailing) isNoted = false;
      looking++;
      await task();
      looking--;
      if (isFailing) throw new DOMException(health, 'UnknownError');
      if (change) isNoted = true;
      return context().isAlive ? isNoted : new Promise(() => {});
    };

  // The network.
  let network: Network = 'works';
  const deliver = (body: string): Promise<Delivery> => {
    if (network === 'silent') return new Promise(() => {});
    if (network === 'offline') return Promise.reject(new TypeError('Failed to fetch'));
    const answers: { readonly [state in Network]?: Delivery } = {
      busy: { status: 503, retryAfter: 600 },
      down: { status: 500 },
      refuses: { status: 400, body: '{"error":"malformed"}' },
      stops: { status: 410, body: '{"error":"retired","stop":["dark","printed"]}' },
    };
    return Promise.resolve(answers[body.length % 3 > 0 ? network : 'works'] ?? { status: 204 });
  };

  const relay = throughRelay(({ body }, bytes) => {
    note(undefined, `a message of ${bytes} bytes holds ${visible(body)}`);
    return deliver(body);
  });

  // The database.
  let stored: string | undefined;
  let health: Health = 'works';
  const isHeld = (): boolean => health === 'held';
  let queue: Step[] = [];
  let isRunning = false;
  const decided = <T>(context: Context, update: (stored: string | undefined) => Updated<T>): { next: string | undefined; result: T } => {
    if (health === 'reads fail') throw new DOMException('reads fail', 'UnknownError');
    [event, fills] = [`${root} step ${steps++}`, 0];
    const { next, result } = update(stored);
    if (next !== undefined && health === 'writes fail') throw new DOMException('full', 'QuotaExceededError');
    note(context, `decides ${next === undefined ? 'to leave it' : visible(next)}`);
    return { next, result };
  };
  const write = (context: Context, next: string | undefined): void => {
    const isLast = context.fuse && context.fuse.steps-- <= 0;
    if (next !== undefined && !(isLast && !context.fuse?.isWritten)) stored = next;
    if (isLast) die(context);
  };
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    while (queue[0] && !isHeld()) {
      await task();
      if (!isHeld()) queue.shift()?.run();
    }
    isRunning = false;
  };
  const storageOf = (context: () => Context): Storage => {
    const asynchronous: Storage['transact'] = (_key, update) =>
      new Promise((resolve, reject) => {
        queue.push({
          context: context(),
          run: () => {
            try {
              const { next, result } = decided(context(), update);
              write(context(), next);
              if (context().isAlive) resolve(result);
            } catch (error) {
              reject(error);
            }
          },
          abort: () => reject(new DOMException('left', 'AbortError')),
        });
        void run();
      });
    const synchronous: Storage['transact'] = (_key, update) => {
      if (isHeld()) throw new Error('held');
      const { next, result } = decided(context(), update);
      write(context(), next);
      if (!context().isAlive) throw new Error('dead');
      return result;
    };
    return {
      transact: (key, update) => {
        if (health === 'throws') throw new DOMException('blocked', 'SecurityError');
        return setup.isLater ? asynchronous(key, update) : synchronous(key, update);
      },
      ...(setup.isLater && {
        suspend: () => {
          const mine = queue.filter((step) => step.context === context());
          queue = queue.filter((step) => step.context !== context());
          for (const step of mine) step.abort();
        },
      }),
      ...(setup.hasNote && { agreed: agreedOf(context) }),
      ...(setup.hasSpill && { spill: spillOf(context), watch: watchOf(context) }),
    };
  };

  // The spill.
  let local = new Map<string, string>();
  let past: { readonly at: number; readonly items: ReadonlyMap<string, string> }[] = [];
  let isFull = false;
  let watchers: { readonly context: Context; readonly key: string; readonly changed: () => void }[] = [];
  const isHidden = (key: string): boolean => HIDDEN.some((metric) => key.endsWith(metric));
  const change = (context: Context, key: string, value: string | undefined): void => {
    if (!context.isAlive) return;
    if (isFull) throw new DOMException('full', 'QuotaExceededError');
    if (!isHidden(key)) note(context, `spills ${key} ${visible(value ?? '')}`);
    past = [...past.filter((each) => each.at > now - UNWRITTEN), { at: now, items: new Map(local) }];
    value === undefined ? local.delete(key) : local.set(key, value);
    for (const { context: other, key: watched, changed } of watchers)
      if (setup.hasNews && other !== context && watched === key) queueMicrotask(() => other.isAlive && !other.isAway && changed());
  };
  const spillOf = (context: () => Context): Spill => ({
    get length() {
      return local.size;
    },
    // Browsers may order the keys as they like, and reorder them whenever their number changes.
    key: (index) => (local.size % 2 > 0 ? [...local.keys()].reverse() : [...local.keys()])[index] ?? null,
    getItem: (key) => local.get(key) ?? null,
    setItem: (key, value) => change(context(), key, value),
    removeItem: (key) => local.has(key) && change(context(), key, undefined),
  });
  const watchOf =
    (context: () => Context): NonNullable<Storage['watch']> =>
    (key, changed) => {
      const watcher = { context: context(), key, changed };
      watchers.push(watcher);
      return () => {
        watchers = watchers.filter((other) => other !== watcher);
      };
    };

  const die = (context: Context): void => {
    context.isAlive = false;
    queue = queue.filter((step) => step.context !== context);
    watchers = watchers.filter((watcher) => watcher.context !== context);
  };

  let version = 0;
  const open = (): Context => {
    const release = schemas[version % schemas.length] as Release;
    let listener: Context['tell'] = () => undefined;
    const send: Transport = setup.isRelayed ? relay.transportOf(release, () => now) : ({ body }) => deliver(body);
    const context = {
      name: `context ${opened++}`,
      release,
      tell: (what) => {
        note(context, what);
        return listener(what);
      },
      isAlive: true,
      isAway: false,
      fuse: undefined,
    } as Context & { telemetry: Context['telemetry'] };
    const get = (): Context => context;
    context.telemetry = createTelemetry({
      schema: release,
      endpoint: '/t',
      consent: setup.consent,
      upload: setup.upload,
      sampleRate: setup.sampleRate,
      batchesPerDay: setup.batchesPerDay,
      storage: storageOf(get),
      rng,
      transport: (upload) => {
        if (!context.isAlive) return new Promise(() => {});
        note(context, `${setup.isRelayed ? 'may send' : 'sends'} to ${upload.url} ${visible(upload.body)}`);
        return send(upload);
      },
      lifecycle: (tell) => {
        listener = tell;
        return () => {
          listener = () => undefined;
        };
      },
      clock: {
        now: () => now,
        after: (milliseconds, run) => {
          const timer = { at: now + milliseconds, context, run };
          note(context, `sets a timer of ${milliseconds}`);
          timers.push(timer);
          return () => {
            if (timers.includes(timer)) note(context, 'cancels a timer');
            timers = timers.filter((other) => other !== timer);
          };
        },
      },
      onOutcome: ({ metric = '', result }) => {
        // A report of a hidden metric is delivered, or dropped, in both lives; what became of its record is its own.
        if (!HIDDEN.includes(metric)) note(context, `says ${metric} ${result}`);
      },
    }) as Context['telemetry'];
    context.telemetry.consent.subscribe(() => note(context, `knows ${context.telemetry.consent.state}`));
    return context;
  };

  return {
    trace,
    begin,
    open,
    die,
    note,
    settle,
    wait,
    /** Records answers in the order given; those to hidden metrics only in one of two lives. */
    record: ({ telemetry, release }: Context, metric: string, value: unknown, name: string): void => {
      if (!isHiding && hides(release, metric)) return;
      const before = [event, fills] as const;
      [event, fills] = [name, 0];
      (telemetry as unknown as { record(metric: string, value: unknown): void }).record(metric, value);
      [event, fills] = before;
    },
    release: (next: number): void => {
      version = next;
    },
    setNetwork: (next: Network): void => {
      network = next;
    },
    setHealth: (next: Health): void => {
      health = next;
      if (!isHeld()) void run();
    },
    fillSpill: (next: boolean): void => {
      isFull = next;
    },
    turnClock: (milliseconds: number): void => {
      now += milliseconds;
      past = []; // what was written keeps no time by which to tell its age
    },
    /** Another hand erases the databases or the note alone, damages the ledger, or erases the spill. */
    erase: (what: 'databases' | 'note' | 'spill' | 'both' | 'damage'): void => {
      if (what !== 'spill' && what !== 'damage') isNoted = false;
      if (what !== 'spill' && what !== 'note') stored = what === 'damage' ? 'damaged' : undefined;
      if (what === 'spill' || what === 'both') [local, past] = [new Map(), []];
    },
    /** SIGKILL: `localStorage` loses what it has not written. */
    loseSpill: (): void => {
      local = new Map(past.find((each) => each.at > now - UNWRITTEN)?.items ?? local);
      past = [];
    },
  };
}
