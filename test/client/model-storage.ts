/**
 * A model of a browser's storage. Its contexts share transactions that are asynchronous and come one after the other, and a `localStorage`.
 * A test may make transactions fail or stand still, freeze a page or kill the browser, and let one page read what another wrote too late.
 */

import type { Spill, Storage, Updated } from '#client/adapters/storage.ts';

/** What becomes of transactions that begin: they throw at once, reject before they write, or stand still before or after the write. */
export type Fate = 'completes' | 'throws' | 'rejects' | 'stops before the write' | 'stops after the write';

/** A tab, a worker or an instance: a storage of its own over what is shared. */
interface Context extends Storage {
  suspend(): void;
  /** What becomes of the transactions that are asked for from now on. */
  fate: Fate;
  /** Lets those that stand still go on. */
  readonly go: () => void;
  /** What each transaction that got its turn decided to store. */
  readonly asked: readonly (string | undefined)[];
}

export interface Browser {
  readonly open: () => Context;
  /** SIGKILL: contexts end as they are, what was written stays, and the spill is as it last reached the disk. */
  readonly kill: () => void;
  /** Writes the spill to the disk, as browsers do some time later. */
  readonly saveSpill: () => void;
  /** Lets every page read what the others have put into the spill. */
  readonly spread: () => void;
  /** What is durable. */
  readonly stored: (key: string) => string | undefined;
  readonly write: (key: string, text: string) => void;
  /** The keys that have a note that the person agrees. */
  readonly noted: () => readonly string[];
  /** Deletes all that is durable, and leaves the spill: an app's logout, or a browser that needs room. */
  readonly evict: () => void;
  /** What the spill holds: in the newest version, and on the disk. */
  readonly spilled: () => ReadonlyMap<string, string>;
}

/** How many answers wait in a spill. Of those that do not the day remains. */
export const waitingIn = (browser: Browser): number => [...browser.spilled().values()].filter((text) => text.includes('"symbol"')).length;

/**
 * @param isSlow whether a page reads what another put into the spill only when it is told to `spread`
 * @param hasSpill whether there is a spill at all: a worker has none
 * @param hasNotes whether there are notes beside the ledger that the person agrees
 * @param isHeard whether a page that is left hears of what was written just before, as one does that goes on for a moment
 */
export function modelBrowser({ isSlow = false, hasSpill = true, hasNotes = true, isHeard = false } = {}): Browser {
  const durable = new Map<string, string>();
  const notes = new Set<string>();
  const turns = new Map<string, Promise<void>>();
  let spill = new Map<string, string>();
  let onDisk = new Map<string, string>();
  let life = 0;
  let pages: { readonly read: (key: string, value: string | null) => void; readonly late: [string, string | null][] }[] = [];

  const open = (): Context => {
    const born = life;
    const isDead = (): boolean => born !== life;
    const asked: (string | undefined)[] = [];
    const live = new Set<() => void>(); // what the freezing of the page does to each transaction
    let resume: (() => void)[] = [];

    const transact = async <T>(key: string, update: (stored: string | undefined) => Updated<T>, fate: Fate): Promise<T> => {
      let [isWritten, isAborted, isUnheard] = [false, false, false];
      let [end, wake] = [(): void => {}, (): void => {}];
      const before = turns.get(key);
      const mine = new Promise<void>((resolve) => {
        end = resolve;
      });
      turns.set(key, Promise.all([before, mine]).then());
      const freeze = (): void => {
        if (isWritten) isUnheard = !isHeard;
        else isAborted = true;
        wake();
      };
      live.add(freeze);
      /** Waits for a turn, or stands still; ends when the page is frozen, and never when the browser is dead. */
      const until = async (turn: Promise<unknown> | undefined): Promise<void> => {
        const frozen = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([turn, frozen]);
        if (isDead() || isUnheard) await new Promise(() => {});
        if (isAborted) throw new DOMException('The page is left', 'AbortError');
      };
      const stand = (): Promise<void> => until(new Promise<void>((resolve) => resume.push(resolve)));
      try {
        await until(before);
        const { next, result } = update(durable.get(key));
        asked.push(next);
        await until(undefined);
        if (fate === 'stops before the write') await stand();
        if (fate === 'rejects') throw new DOMException('The disk is full', 'QuotaExceededError');
        if (isAborted) await until(undefined);
        if (next !== undefined) durable.set(key, next);
        isWritten = true;
        end();
        await (fate === 'stops after the write' ? stand() : until(undefined));
        return result;
      } finally {
        live.delete(freeze);
        end();
      }
    };

    const own = new Map(spill);
    const late: [string, string | null][] = [];
    const watchers = new Set<{ readonly key: string; readonly changed: () => void }>();
    const put = (map: Map<string, string>, key: string, value: string | null): void =>
      void (value === null ? map.delete(key) : map.set(key, value));
    const page = {
      late,
      read: (key: string, value: string | null) => {
        put(own, key, value);
        for (const watcher of watchers) if (watcher.key === key) queueMicrotask(watcher.changed);
      },
    };
    pages.push(page);
    const write = (key: string, value: string | null): void => {
      if (isDead() || (own.get(key) ?? null) === value) return;
      put(own, key, value);
      put(spill, key, value);
      for (const other of pages) if (other !== page) isSlow ? other.late.push([key, value]) : other.read(key, value);
    };
    const spilling: Spill = {
      get length() {
        return own.size;
      },
      key: (index) => [...own.keys()][index] ?? null,
      getItem: (key) => own.get(key) ?? null,
      setItem: (key, value) => write(key, value),
      removeItem: (key) => write(key, null),
    };

    const context: Context = {
      fate: 'completes',
      asked,
      transact: (key, update) => {
        if (context.fate === 'throws') throw new DOMException('Storage is blocked', 'SecurityError');
        return transact(key, update, context.fate);
      },
      ...(hasNotes && {
        agreed: async (key, change) => {
          if (change === false) notes.delete(key); // at once, even if the page is gone
          await undefined;
          if (isDead()) await new Promise(() => {});
          if (change) notes.add(key);
          return notes.has(key);
        },
      }),
      suspend: () => {
        for (const freeze of live) freeze();
      },
      go: () => {
        const waiting = resume;
        resume = [];
        for (const wake of waiting) wake();
      },
      ...(hasSpill && {
        spill: spilling,
        watch: (key, changed) => {
          const watcher = { key, changed };
          watchers.add(watcher);
          return () => watchers.delete(watcher);
        },
      }),
    };
    return context;
  };

  return {
    open,
    kill: () => {
      life++;
      pages = [];
      turns.clear();
      spill = new Map(onDisk);
    },
    saveSpill: () => {
      onDisk = new Map(spill);
    },
    spread: () => {
      for (const { read, late } of pages) for (const [key, value] of late.splice(0)) read(key, value);
    },
    stored: (key) => durable.get(key),
    noted: () => [...notes],
    write: (key, text) => void durable.set(key, text),
    evict: () => {
      durable.clear();
      notes.clear();
    },
    spilled: () => spill,
  };
}
