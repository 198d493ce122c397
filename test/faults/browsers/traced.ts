/**
 * The adapters of a page whose life is compared with that of another, which differs in hidden records. Behind them are the engine's own
 * storage and transport. Coins depend on the event that throws them, not on how many were thrown before. The clock stands still, so no timer
 * fires, and times that are stored are equal. All that others could notice is written down in the tab's `sessionStorage`.
 */

import {
  type Clock,
  fetchTransport,
  type Lifecycle,
  type Rng,
  type Spill,
  type Storage,
  type Transport,
  webStorage,
} from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import { pageLifecycle } from '#client/adapters/lifecycle.ts';
import { seedOf, visibleTo } from '../client/visible.ts';

/** The metric whose records are hidden. */
const HIDDEN = 'printed';
const START = Date.UTC(2026, 10, 20, 8);
export const visible = visibleTo(
  (metric) => metric === HIDDEN,
  (_, metric) => metric === HIDDEN,
);

interface Traced {
  /** From now on, coins are those of this event. */
  readonly begin: (event: string) => void;
  readonly note: (line: string) => void;
  readonly options: {
    readonly rng: Rng;
    readonly clock: Clock;
    readonly lifecycle: Lifecycle;
    readonly storage: Storage;
    readonly transport: Transport;
  };
}

/**
 * @param seed of the coins; the same in both lives
 * @param ahead milliseconds by which the clock is ahead
 */
export function traced(seed: string, ahead: number): Traced {
  const lines: string[] = [];
  const note = (line: string): void => {
    lines.push(line);
    sessionStorage.setItem('lines', JSON.stringify(lines));
  };
  let [root, event, steps, fills] = ['start', 'start', 0, 0];
  /** The last change of the note. */
  let changed: unknown;
  const { spill, agreed, transact, ...rest } = webStorage();
  const tracedSpill = (own: Spill): Spill => ({
    get length() {
      return own.length;
    },
    key: (index) => own.key(index),
    getItem: (key) => own.getItem(key),
    setItem: (key, value) => {
      if (!key.endsWith(HIDDEN)) note(`spills ${key} ${visible(value)}`);
      own.setItem(key, value);
    },
    removeItem: (key) => own.removeItem(key),
  });
  return {
    begin: (name) => {
      [root, event, steps, fills] = [name, name, 0, 0];
    },
    note,
    options: {
      rng: (bytes) => seededRng(seedOf(`${seed} ${ahead} ${event} ${fills++}`))(bytes),
      clock: {
        now: () => START + ahead,
        after: (milliseconds) => {
          note(`sets a timer of ${milliseconds}`);
          return () => note('cancels a timer');
        },
      },
      // Being hidden and shown is chance in a test: the page flushes when it is asked to.
      lifecycle: (tell) => pageLifecycle((event) => event !== 'flush' && tell(event)),
      storage: {
        ...rest,
        transact: (key, update) =>
          transact(key, (stored) => {
            [event, fills] = [`${root} step ${steps++}`, 0];
            const { next, result } = update(stored);
            note(`decides ${next === undefined ? 'to leave it' : visible(next)}`);
            return { next, result };
          }),
        // An engine may look for the note before or after it has changed it. Both lives look afterwards.
        agreed: async (key, change) => {
          note(change === undefined ? 'looks for the note' : `${change ? 'writes' : 'erases'} the note`);
          if (change === undefined) await changed;
          const found = agreed?.(key, change) ?? false;
          if (change !== undefined) changed = found;
          return found;
        },
        ...(spill && { spill: tracedSpill(spill) }),
      },
      transport: (upload) => {
        note(`sends to ${upload.url} ${visible(upload.body)}`);
        return fetchTransport(upload);
      },
    },
  };
}
