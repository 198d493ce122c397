/**
 * A model of a device's storage, as unreliable as the real ones may be. A step is atomic, and durable once it has resolved. A kill before
 * that leaves it written or not.
 * The spill beside it may be stale in a new context. When the browser is killed, it loses its last writes, or everything.
 * test/client/storage.test.ts and the engines' tests check the real storages against the same rules.
 */

import type { Spill, Storage, Updated } from '@murmuration/client';

/** `held`: nothing proceeds until it works again, as when another tab upgrades the database. */
export type Health = 'works' | 'failing' | 'held';

/** The storage's view of a context. */
export interface Life {
  alive: boolean;
  /** When the context dies: after this many more steps, and before or after the last is written. Undefined when it lives on. */
  fuse: { steps: number; readonly isWritten: boolean } | undefined;
  readonly die: () => void;
}

/** Callbacks of a context's storage. */
export interface Witness {
  /** A step is durable. The context may not know it yet. */
  readonly wrote: (text: string) => void;
  /** The context is notified that its step is done. */
  readonly heard: () => void;
  readonly spilled: (text: string) => void;
  /** The note that the person agrees is erased. */
  readonly withdrew: () => void;
}

/** The properties of a storage. */
export interface Kind {
  /** Whether it answers with promises. */
  readonly later: boolean;
  readonly hasSpill: boolean;
  /** Whether a context is notified of what others write into the spill. */
  readonly hasNews: boolean;
}

/**
 * The events of a database are separate tasks, so everything that waits for one step proceeds before the next. This is more turns than any
 * chain of promises needs.
 */
const MICROTASKS = 20;

interface Step {
  readonly life: Life;
  /** Writes or not; then the context may be notified. */
  readonly run: () => void;
  /** @param hasBegun whether it may be written anyway */
  readonly abort: (hasBegun: boolean) => void;
}

/** Milliseconds during which a browser has not yet written its spill to the disk. */
const UNWRITTEN = 1_000;

export function createStorageModel({ later, hasSpill, hasNews }: Kind, now: () => number) {
  let stored: string | undefined;
  let isNoted = false;
  let health: Health = 'works';
  let queue: Step[] = [];
  let isRunning = false;
  let steps = 0;
  let suspended = 0;
  let items = new Map<string, string>();
  let past: { readonly at: number; readonly held: ReadonlyMap<string, string> }[] = []; // the content of the spill before its last writes
  /** The content on the disk, determined by the time of the writes rather than by their number. */
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

  /** One step. Its result goes to the context; undefined if that is dead. */
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
    // A stale context sees old data, except for its own writes.
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
      /** Notifications that its page receives only when it is restored. */
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
              // Every other time the commit has already begun. The step is then written, and its page is notified when it is restored.
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
        for (const [i, { abort }] of mine.entries()) abort(i === 0); // only the first has begun
      };
      return {
        transact,
        ...(later && { suspend }),
        // As in a page, the note waits for no step, and is erased at once.
        ...(later && {
          agreed: async (_key: string, change?: boolean) => {
            if (!life.alive) return new Promise(() => {});
            if (health === 'failing') throw new Error('the storage fails');
            if (change === false && isNoted) witness.withdrew();
            isNoted = change ?? isNoted;
            return isNoted;
          },
        }),
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
    /** The browser is killed: the spill loses its last writes, or everything. */
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
    /** Deletes the ledger and leaves the spill, which is on the disk by now. Returns the day until which the spill remembers claims; 0 for none. */
    lose: (): number => {
      stored = undefined;
      isNoted = false;
      past = [];
      return Number([...items].find(([key]) => key.endsWith(':spent'))?.[1] ?? 0);
    },
    replace: (text: string | undefined): void => {
      stored = text;
      if (text === undefined) {
        isNoted = false;
        items = new Map();
        past = [];
      }
    },
  };
}
