/**
 * Meaning of a response for its batch. Only the collector's own words settle one: 204, or a refusal of the closed list. The endpoint may be
 * another host, which answers 200 with its page or 405, and a proxy on the way may answer anything.
 */

import { FINAL_REFUSALS } from '@murmuration/shared';
import type { Delivery } from './adapters/transport.ts';
import { attempt } from './maybe.ts';

/** A batch that was delivered, or the refusal that ended it. */
interface Settlement {
  /** The code of the refusal. */
  readonly error?: keyof typeof FINAL_REFUSALS;
  /** The metrics that the collector has retired; true for all metrics of the batch's schema. It may hold anything. */
  readonly stop?: unknown;
}

/** Reason why a batch ended; undefined if the batch is kept and sent again later. */
export const settlementOf = ({ status, body = '' }: Delivery): Settlement | undefined =>
  status === 204
    ? {}
    : attempt(() => {
        const refusal: Settlement = JSON.parse(body);
        return FINAL_REFUSALS[refusal.error as keyof typeof FINAL_REFUSALS] === status ? refusal : undefined;
      });
