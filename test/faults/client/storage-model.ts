/**
 * A model of a device's storage, as bad as the real ones may be. A step is atomic, and durable once it has resolved; before that a kill
 * leaves it written or not. The spill beside it may be stale in a new context, and loses its last writes, or all of them, when the browser is
 * killed. test/client/storage.test.ts and the engines' tests hold the real storages to the same.
 */

import type { Spill, Storage, Updated } from '@murmuration/client';

/** `held`: nothing goes on until it works again, as behind a database that another tab is upgrading. */
export type Health = 'works' | 'failing' | 'held';

/** A context, as far as its storage knows it. */
export interface Life {
  alive: boolean;
  /** The step at which it dies: so many more, and whether before it is written. Undefined where it lives on. */
  fuse: { steps: number; readonly isWritten: boolean } | undefined;
  readonly die: () => void;
}

/** What is seen of a context's storage. */
export interface Witness {
  /** A step is durable. Nobody may have heard of it yet. */
  readonly wrote: (text: string) => void;
  /** The context hears that its step is done. */
  readonly heard: () => void;
  readonly spilled: (text: string) => void;
}

/** What a storage is like. */
export interface Kind {
  /** Whether it answers by promises. */
  readonly later: boolean;
  readonly hasSpill: boolean;
  /** Whether a context hears what others write into the spill. */
  readonly hasNews: boolean;
}

/** As a database's events are tasks of their own, all that waits for one step goes on before the next: more turns than a chain of promises takes. */
const MICROTASKS = 20;

interface Step {
  readonly life: Life;
  /** Writes, or not; then the context may hear of it. */
  readonly run: () => void;
  /** @param hasBegun whether it may be written all the same */
  readonly abort: (hasBegun: boolean) => void;
}

/** Milliseconds in which a browser writes nothing of its spill through to the disk. */
const UNWRITTEN = 1_000;

export function createStorageModel({ later, hasSpill, hasNews }: Kind, now: () => number) {
  let stored: string | undefined;
  let health: Health = 'works';
  let queue: Step[] = [];
  let isRunning = false;
  let steps = 0;
  let suspended = 0;
  let items = new Map<string, string>();
  let past: { readonly at: number; readonly held: ReadonlyMap<string, string> }[] = []; // what the spill held before its last writes
  /** What the disk holds of it: by the time of the writes, and not by their number. */
  const written = (): Map<string, string> => new Map(past.find(({ at }) => at > now() - UNWRITTEN)?.held ?? items);
  const listeners = new Set<{ readonly life: Life; readonly key: string; readonly changed: () => void }>();

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    await undefined;
    while (queue.length > 0 && health !== 'held') {
      queue.shift()?.run();
      for (let i = 0; i < MICROTASKS; i++) await undefined;
    }
    isRunning = false;
  };

  /** One step, as it happens. What it returns tells the context; undefined where that is dead. */
  const step = <T>(life: Life, witness: Witness, update: (stored: string | undefined) => Updated<T>): (() => T) | undefined => {
    if (!life.alive) return undefined;
    if (health === 'failing') throw new Error('the storage fails');
    if (steps++ % 5 === 0) update(stored); // it may run more than once
    const { next, result } = update(stored);
    const isLast = life.fuse !== undefined && life.fuse.steps-- <= 0;
    if (next !== undefined && !(isLast && !life.fuse?.isWritten)) {
      stored = next;
      witness.wrote(next);
    }
    if (isLast) life.die();
    return () => {
      witness.heard();
      return result;
    };
  };

  const spillOf = (life: Life, witness: Witness, isStale: boolean): Spill => {
    // What a stale context sees is old, but for what it writes itself.
    let seen = isStale ? written() : undefined;
    const view = (): Map<string, string> => seen ?? items;
    const write = (key: string, change: (map: Map<string, string>) => void): void => {
      if (!life.alive) return;
      if (health === 'failing') throw new Error('quota exceeded');
      past = [...past.filter(({ at }) => at > now() - UNWRITTEN), { at: now(), held: new Map(items) }];
      change(items);
      if (seen) change(seen);
      for (const { life: other, key: heard, changed } of listeners)
        if (other !== life && heard === key) queueMicrotask(() => other.alive && hasNews && changed());
    };
    queueMicrotask(() => setImmediate(() => (seen = undefined)));
    return {
      get length() {
        return view().size;
      },
      key: (index) => [...view().keys()][index] ?? null,
      getItem: (key) => view().get(key) ?? null,
      setItem: (key, text) => {
        write(key, (map) => map.set(key, text));
        if (life.alive) witness.spilled(text);
      },
      removeItem: (key) => view().has(key) && write(key, (map) => map.delete(key)),
    };
  };

  return {
    open: (life: Life, witness: Witness, isStale: boolean): Storage => {
      /** What its page can hear only when it is back. */
      const unheard: (() => void)[] = [];
      const transact: Storage['transact'] = (_key, update) => {
        for (const tell of unheard.splice(0)) tell();
        if (!later) {
          const tell = step(life, witness, update);
          if (!tell || !life.alive) throw new Error('dead');
          return tell();
        }
        return new Promise((resolve, reject) => {
          queue.push({
            life,
            run: () => {
              try {
                const tell = step(life, witness, update);
                if (tell && life.alive) resolve(tell());
              } catch (error) {
                reject(error);
              }
            },
            abort: (hasBegun) => {
              // Every other time it is being committed already: it is written, and its page hears of it when it is back.
              if (hasBegun && suspended % 2 === 0 && health === 'works') {
                const tell = step(life, witness, update);
                if (tell) unheard.push(() => resolve(tell()));
              } else reject(new Error('aborted'));
            },
          });
          void run();
        });
      };
      const suspend = (): void => {
        suspended++;
        const mine = queue.filter((each) => each.life === life);
        queue = queue.filter((each) => each.life !== life);
        for (const [i, { abort }] of mine.entries()) abort(i === 0); // only the first of all has begun
      };
      return {
        transact,
        ...(later && { suspend }),
        ...(hasSpill && {
          spill: spillOf(life, witness, isStale),
          watch: (key: string, changed: () => void) => {
            const listener = { life, key, changed };
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        }),
      } as Storage;
    },
    /** A context is gone. */
    leave: (life: Life): void => {
      queue = queue.filter((each) => each.life !== life);
      for (const listener of listeners) if (listener.life === life) listeners.delete(listener);
    },
    /** The browser is killed: the spill's last writes are lost, or all. */
    loseSpill: (isAll: boolean): void => {
      items = isAll ? new Map() : written();
      past = [];
    },
    set: (next: Health): void => {
      health = next;
      if (health !== 'held') void run();
    },
    health: () => health,
    text: () => stored,
    replace: (text: string | undefined): void => {
      stored = text;
      if (text === undefined) {
        items = new Map();
        past = [];
      }
    },
  };
}
