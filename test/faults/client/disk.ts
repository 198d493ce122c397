/** The storage of one device, as its tabs share it: with a lock or without, now or later, full, unreadable, slow, and left in the middle. */

import { memoryStorage, type Storage, webStorage } from '@murmuration/client';

/** What the storage does now. `full` throws from a write, `unreadable` from a read; `held` answers nothing, where answers are promises. */
export type Health = 'works' | 'full' | 'unreadable' | 'held';

/** A page or process: what it does once it is dead has no effect. */
export interface Life {
  alive: boolean;
  /** Dies of the write after so many: before it takes effect, or right after it did. */
  fuse: { writes: number; readonly before: boolean } | undefined;
  die(): void;
}

export interface Disk {
  /** The storage as one page sees it. */
  readonly open: (life: Life, wrote: (text: string) => void) => Storage;
  /** Frees the lock of a page that is dead. */
  readonly leave: (life: Life) => void;
  readonly set: (health: Health) => void;
  readonly isHeld: () => boolean;
  readonly text: () => string | null;
  /** Puts something else in the place of what is stored, or nothing. */
  readonly replace: (text: string | null) => void;
}

const KEY = 'murmuration:notes';

/** What the client's own storage makes of a page whose browser has no Web Locks. */
function storageWithoutLocks(items: Pick<Storage, 'getItem' | 'setItem'>): Storage {
  const page = { document: {}, localStorage: items, navigator: {} };
  const before = Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(([name]) => name in page);
  for (const [name, value] of Object.entries(page)) Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    return webStorage();
  } finally {
    for (const name of Object.keys(page)) Reflect.deleteProperty(globalThis, name);
    for (const [name, descriptor] of before) Object.defineProperty(globalThis, name, descriptor);
  }
}

/**
 * @param later whether it answers by promises
 * @param tabs how many pages share it
 */
export function createDisk(later: boolean, hasLock: boolean, tabs: number): Disk {
  let memory = memoryStorage();
  let health: Health = 'works';
  let held: (() => void)[] = [];
  let queue: { readonly life: Life; readonly granted: (release: () => void) => void }[] = [];
  let holder: Life | undefined;

  const grant = (): void => {
    while (holder === undefined) {
      const next = queue.shift();
      if (next === undefined) return;
      holder = next.life;
      next.granted(() => leave(next.life));
    }
  };
  const leave = (life: Life): void => {
    queue = queue.filter((waiting) => waiting.life !== life);
    if (holder !== life) return;
    holder = undefined;
    grant();
  };

  const read = (key: string): string | null => {
    if (health === 'unreadable') throw new Error('unreadable');
    return memory.getItem(key) as string | null;
  };
  const write = (life: Life, key: string, text: string, wrote: (text: string) => void): void => {
    if (!life.alive) return;
    if (health === 'full') throw new Error('quota exceeded');
    const isLast = life.fuse !== undefined && life.fuse.writes-- <= 0;
    if (isLast && life.fuse?.before) return life.die();
    memory.setItem(key, text);
    wrote(text);
    if (isLast) life.die();
  };
  /** When the storage comes to it. */
  const turn = async <T>(run: () => T): Promise<T> => {
    await undefined;
    while (health === 'held') await new Promise<void>((release) => held.push(release));
    return run();
  };

  return {
    open: (life, wrote) => {
      const items = {
        getItem: (key: string) => (later ? turn(() => read(key)) : read(key)),
        setItem: (key: string, text: string) => (later ? turn(() => write(life, key, text, wrote)) : write(life, key, text, wrote)),
      };
      const lock = (): Promise<() => void> =>
        new Promise((granted) => {
          queue.push({ life, granted });
          grant();
        });
      if (tabs === 1) return items;
      return hasLock ? { ...items, lock } : storageWithoutLocks(items);
    },
    leave,
    set: (next) => {
      health = next;
      const waiting = held;
      held = [];
      for (const release of waiting.reverse()) release(); // no storage promises an order
    },
    isHeld: () => health === 'held',
    text: () => memory.getItem(KEY) as string | null,
    replace: (text) => {
      if (text === null) memory = memoryStorage();
      else memory.setItem(KEY, text);
    },
  };
}
