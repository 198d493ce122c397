/** The storage of one device, as its tabs share it: with a lock or without, now or later, full, unreadable, slow, and left in the middle. */

import { memoryStorage, type Storage, webStorage } from '@murmuration/client';

/** What the storage does now. `full` throws from a write, `shaky` from every other, `unreadable` from a read; `held` answers nothing, where answers are promises. */
export type Health = 'works' | 'full' | 'shaky' | 'unreadable' | 'held';

/** A page or process: what it does once it is dead has no effect. */
export interface Life {
  alive: boolean;
  /** Dies of the write after so many: before it takes effect, or right after it did. */
  fuse: { writes: number; readonly before: boolean } | undefined;
  die(): void;
}

/** What is told of a page's storage. */
interface Witness {
  /** The page reads what is stored, alone. */
  readonly opened: () => void;
  /** The page could not read what the person decided. */
  readonly unread: () => void;
  /** The page has written the ledger and the outbox. */
  readonly wrote: (text: string) => void;
  /** What the person decided on this page is stored. */
  readonly decided: (text: string) => void;
  /** The page hears what was decided on another. */
  readonly told: (text: string) => void;
}

export interface Disk {
  /** The storage as one page sees it. */
  readonly open: (life: Life, witness: Witness) => Storage;
  /** Frees the lock of a page that is dead. */
  readonly leave: (life: Life) => void;
  readonly set: (health: Health) => void;
  readonly health: () => Health;
  /** The ledger and the outbox, as they are stored. */
  readonly text: () => string | null;
  /** What the person decided, as it is stored. */
  readonly decision: () => string | null;
  /** Puts something else in the place of what is stored, or nothing. */
  readonly replace: (text: string | null) => void;
}

const KEY = 'murmuration:notes';
const DECISION = `${KEY}:consent`;

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
 * @param hasNews whether a page hears what others store
 */
export function createDisk(later: boolean, hasLock: boolean, tabs: number, hasNews: boolean): Disk {
  let memory = memoryStorage();
  let health: Health = 'works';
  let held: (() => void)[] = [];
  let queue: { readonly life: Life; readonly granted: (release: () => void) => void }[] = [];
  let holder: Life | undefined;
  let writes = 0;
  const listeners = new Set<{ readonly life: Life; readonly key: string; readonly hear: (text: string) => void }>();

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

  const read = (life: Life, key: string, { opened, unread }: Witness): string | null => {
    if (key === KEY && (!hasLock || holder === life)) opened();
    if (health === 'unreadable') {
      if (key === DECISION) unread();
      throw new Error('unreadable');
    }
    return memory.getItem(key) as string | null;
  };
  /** As a browser does: later, and not to the page that wrote. */
  const spread = (from: Life, key: string, text: string): void =>
    queueMicrotask(() => {
      for (const { life, key: heard, hear } of listeners) if (life !== from && life.alive && heard === key) hear(text);
    });
  const write = (life: Life, key: string, text: string, { wrote, decided }: Witness): void => {
    if (!life.alive) return;
    if (health === 'full' || (health === 'shaky' && writes++ % 2 === 0)) throw new Error('quota exceeded');
    const isLast = life.fuse !== undefined && life.fuse.writes-- <= 0;
    if (isLast && life.fuse?.before) return life.die();
    memory.setItem(key, text);
    (key === KEY ? wrote : decided)(text);
    spread(life, key, text);
    if (isLast) life.die();
  };
  /** When the storage comes to it. */
  const turn = async <T>(run: () => T): Promise<T> => {
    await undefined;
    while (health === 'held') await new Promise<void>((release) => held.push(release));
    return run();
  };

  return {
    open: (life, witness) => {
      const items = {
        getItem: (key: string) => (later ? turn(() => read(life, key, witness)) : read(life, key, witness)),
        setItem: (key: string, text: string) => (later ? turn(() => write(life, key, text, witness)) : write(life, key, text, witness)),
      };
      const lock = (): Promise<() => void> =>
        new Promise((granted) => {
          queue.push({ life, granted });
          grant();
        });
      const watch = (key: string, changed: (text: string | null) => void): (() => void) => {
        const listener = {
          life,
          key,
          hear: (text: string) => {
            witness.told(text);
            changed(text);
          },
        };
        listeners.add(listener);
        return () => listeners.delete(listener);
      };
      if (tabs === 1) return items;
      if (hasLock) return { ...items, lock, ...(hasNews && { watch }) };
      witness.opened(); // it reads nothing of ours
      return storageWithoutLocks(items);
    },
    leave,
    set: (next) => {
      health = next;
      const waiting = held;
      held = [];
      for (const release of waiting.reverse()) release(); // no storage promises an order
    },
    health: () => health,
    text: () => memory.getItem(KEY) as string | null,
    decision: () => memory.getItem(DECISION) as string | null,
    replace: (text) => {
      if (text === null) memory = memoryStorage();
      else memory.setItem(KEY, text);
    },
  };
}
