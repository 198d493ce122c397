/** A network in every weather, and behind it a model of the collector: each batch counts once by its id, with the bytes that came first. */

import type { Delivery, Upload } from '@murmuration/client';
import { type MemoryTransport, memoryTransport } from '@murmuration/client/testing';
import type { Batch } from '@murmuration/shared';

export const WEATHERS = ['fine', 'offline', 'down', 'busy', 'refusing', 'lost', 'slow', 'late'] as const;
/**
 * `lost`: counted, but the answer is lost. `slow`: counted, answered when the network comes to it. `late`: counted then too,
 * even when the page has gone.
 */
export type Weather = (typeof WEATHERS)[number];

export interface Network {
  readonly sent: MemoryTransport;
  /** The batches that the collector has counted, each once, by id. */
  readonly counted: ReadonlySet<string>;
  /** The batches that it has refused for good. */
  readonly refused: ReadonlySet<string>;
  /** The batches that came again with other bytes. */
  readonly changed: readonly string[];
  readonly set: (weather: Weather) => void;
  /** Answers what was slow. */
  readonly catchUp: () => void;
}

export function createNetwork(): Network {
  let weather: Weather = 'fine';
  let waiting: (() => void)[] = [];
  const bodies = new Map<string, string>();
  const counted = new Set<string>();
  const refused = new Set<string>();
  const changed: string[] = [];
  const later = (run: () => void): Promise<Delivery> =>
    new Promise((answer) => {
      waiting.push(() => {
        run();
        answer({ status: 204 });
      });
    });

  const answer = ({ body }: Upload): Delivery | Promise<Delivery> => {
    const { batch } = JSON.parse(body) as Batch;
    if ((bodies.get(batch) ?? body) !== body) changed.push(batch);
    bodies.set(batch, body);
    const count = (): void => void counted.add(batch);
    switch (weather) {
      case 'offline':
        return Promise.reject(new TypeError('Failed to fetch'));
      case 'down':
        return { status: 503 };
      case 'busy':
        return { status: 429, retryAfter: 600 };
      case 'refusing':
        refused.add(batch);
        return { status: 400 };
      case 'late':
        return later(count);
      case 'slow':
        count();
        return later(() => {});
      case 'lost':
        count();
        return Promise.reject(new TypeError('Failed to fetch'));
      default:
        count();
        return { status: 204 };
    }
  };

  return {
    sent: memoryTransport(answer),
    counted,
    refused,
    changed,
    set: (next) => {
      weather = next;
    },
    catchUp: () => {
      const now = waiting;
      waiting = [];
      for (const run of now) run();
    },
  };
}
