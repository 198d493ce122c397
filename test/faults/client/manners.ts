/** What a page owes the network: it waits as long as it is asked to, does not pester who is silent, and has little on its way at once. */

import type { Delivery, Upload } from '@murmuration/client';

/** Characters that may be on their way at once. */
const IN_FLIGHT = 60_000;
/** Uploads in a row that nobody answered, after which the next waits for a reason other than time. */
const TRIES = 3;

export interface Manners {
  /** Watches one upload. */
  readonly sends: (upload: Upload, answer: Promise<Delivery>) => Promise<Delivery>;
  /** Something happened that is a reason to send. */
  readonly hasReason: () => void;
  /** What was tried has expired: what is tried next is another thing. */
  readonly expired: () => void;
  /** The app asks to send at once, whatever the collector asked for. */
  readonly force: (isForced: boolean) => void;
  /** The person turns the clock, and nobody can tell any more how long a page has waited. */
  readonly turned: () => void;
}

/**
 * @param isTime whether only time goes by, and nothing else happens
 * @param find takes what is wrong
 */
export function createManners(now: () => number, isTime: () => boolean, find: (what: string) => void): Manners {
  let flying = 0;
  let notBefore = 0;
  let silences = 0;
  let lastSilence = 0;
  let reasons = 1; // one may come while what it asks for is already on its way
  let isForced = false;
  return {
    sends: async ({ body }, answer) => {
      if (now() < notBefore && !isForced) find('an upload before the time that the collector asked for');
      if (isTime() && silences >= TRIES && reasons === 0) find(`an upload after ${silences} that nobody answered, for no reason but time`);
      flying += body.length;
      if (flying >= IN_FLIGHT) find(`${flying} characters on their way at once`);
      try {
        const delivery = await answer;
        silences = 0;
        if (delivery.retryAfter) notBefore = now() + delivery.retryAfter * 1_000;
        return delivery;
      } catch (error) {
        if (lastSilence !== now()) {
          silences++; // batches that go together are silent together
          reasons = Math.max(0, reasons - 1);
        }
        lastSilence = now();
        throw error;
      } finally {
        flying -= body.length;
      }
    },
    hasReason: () => {
      reasons = 2;
    },
    expired: () => {
      silences = 0;
    },
    force: (forced) => {
      isForced = forced;
    },
    turned: () => {
      notBefore = 0;
    },
  };
}
