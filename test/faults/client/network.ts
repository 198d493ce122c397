/**
 * A network in every state, and behind it a model of the collector: each batch counts once by its id, with the bytes that arrived first.
 */

import type { Delivery, Upload } from '@murmuration/client';
import type { Batch } from '@murmuration/shared';

/**
 * `lost`: counted, but the response is lost. `slow`: counted, and answered when the network catches up. `late`: counted when the network
 * catches up, even if the page is gone. `silent`: never answered.
 */
export const NETWORKS = ['fine', 'offline', 'down', 'busy', 'refusing', 'stopping', 'lost', 'slow', 'late', 'silent'] as const;
export type NetworkState = (typeof NETWORKS)[number];

export interface Network {
  readonly send: (upload: Upload) => Promise<Delivery>;
  /** The ids of the batches that the collector has counted. */
  readonly counted: ReadonlySet<string>;
  /** The batches that it has refused permanently. */
  readonly refused: ReadonlySet<string>;
  /** The batches that were sent again with different bytes. */
  readonly changed: readonly string[];
  readonly set: (state: NetworkState) => void;
  /** Answers the slow requests. */
  readonly catchUp: () => void;
}

export function createNetwork(): Network {
  let state: NetworkState = 'fine';
  const waiting: (() => void)[] = [];
  const bodies = new Map<string, string>();
  const [counted, refused, changed]: [Set<string>, Set<string>, string[]] = [new Set(), new Set(), []];
  const later = (run: () => void): Promise<Delivery> =>
    new Promise((answer) => {
      waiting.push(() => {
        run();
        answer({ status: 204 });
      });
    });

  return {
    send: async ({ body }) => {
      const { batch } = JSON.parse(body) as Batch;
      if ((bodies.get(batch) ?? body) !== body) changed.push(batch);
      bodies.set(batch, body);
      const count = (): void => void counted.add(batch);
      switch (state) {
        case 'offline':
          throw new TypeError('Failed to fetch');
        case 'down':
          return { status: 503 };
        case 'busy':
          return { status: 503, retryAfter: 600 };
        case 'refusing':
          refused.add(batch);
          return { status: 400, body: '{"error":"malformed"}' };
        case 'stopping':
          refused.add(batch);
          return { status: 410, body: '{"error":"retired","stop":["dark"]}' };
        case 'silent':
          return new Promise(() => {});
        case 'late':
          return later(count);
        case 'slow':
          count();
          return later(() => {});
        case 'lost':
          count();
          throw new TypeError('Failed to fetch');
        default:
          count();
          return { status: 204 };
      }
    },
    counted,
    refused,
    changed,
    set: (next) => {
      state = next;
    },
    catchUp: () => {
      for (const run of waiting.splice(0)) run();
    },
  };
}
