/** Decides when to send, and stores what a response means for the batch that was sent. */

import type { Clock } from './adapters/lifecycle.ts';
import type { Delivery } from './adapters/transport.ts';
import type { Device } from './device.ts';
import type { QueuedBatch } from './ledger/queued.ts';
import type { State } from './ledger/state.ts';
import { JITTER, LONGEST_TIMER, PATIENCE, SOON, TRIES } from './limits.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import { hasten, NEVER, pauseFor, remove, seal, wait } from './outbox.ts';
import { settlementOf } from './settlement.ts';
import type { Entry } from './slots.ts';
import type { DeviceStore } from './store.ts';

/** A batch, the response to it, and what that means for the batch. */
type Answered = readonly [batch: QueuedBatch, delivery: Delivery, settlement: ReturnType<typeof settlementOf>];

/**
 * Sends batches that are due. The first function sets a timer for the next batch that may be sent, unless one is set already. The second
 * cancels it. The third sends the batches that may be sent now, and resolves when each has its response.
 */
type Sender = readonly [schedule: () => void, cancel: () => void, flush: () => Promise<void>];

/**
 * Starts a new day in a transaction, in which pending answers claim their slots: all, or those to metrics with `otherwise`.
 *
 * @param work is told whether the person agrees
 */
export type Turn = <T extends object>(
  work: (state: State, isGranted: boolean) => T,
  isAll?: boolean,
  left?: readonly Entry[],
) => Maybe<T | undefined>;

/** @param isActive whether the person has consented and the page has not been left */
export function createSender(
  device: Device,
  store: DeviceStore,
  clock: Clock,
  send: (batch: QueuedBatch) => Promise<Delivery>,
  isActive: () => boolean,
  turn: Turn,
): Sender {
  let stop: (() => void) | undefined; // cancels the one timer
  let sending: Promise<void> | undefined;
  let again: Promise<void> | undefined; // the flush that follows the current one
  let silences = 0;

  const waiting = (): number => (isActive() ? wait(device, store.view) : NEVER);
  const cancel = (): void => {
    stop?.();
    stop = undefined;
  };
  const schedule = (): void => {
    const milliseconds = Math.max(attempt(waiting) ?? NEVER, SOON) + (attempt(() => device.uniform(JITTER)) ?? JITTER);
    if (milliseconds < NEVER && silences < TRIES)
      stop ??= clock.after(Math.min(LONGEST_TIMER, milliseconds), () => {
        stop = undefined;
        return flush();
      });
  };

  /** Uploads a batch and resolves with the response, or with status 0 if it takes too long. */
  const deliver = (batch: QueuedBatch): Promise<Answered> =>
    new Promise((resolve) => {
      const end = (answer?: Delivery): void => {
        late();
        const delivery = answer ?? { status: 0 };
        resolve([batch, delivery, settlementOf(delivery)]);
      };
      const late = clock.after(PATIENCE, () => end());
      void after(
        attempt(() => send(batch)),
        end,
      );
    });

  /** Stores the effects of the collector's responses. */
  const settle = (answers: readonly Answered[]): Maybe<unknown> =>
    store.change((state) => {
      for (const [{ batch: id, schema }, { retryAfter = 0, body }, settlement] of answers) {
        if (retryAfter > 0) pauseFor(device, state, retryAfter);
        if (!settlement) continue;
        const { error, stop } = settlement;
        const batch = state.outbox.find((each) => each.batch === id);
        hasten(device, state);
        if (batch) remove(device, state, batch, error ? 'refused' : 'delivered', body);
        for (const metric of Object.keys(device.metrics))
          if (stop === true || (Array.isArray(stop) && stop.includes(metric))) {
            state.retired[metric] = schema;
            device.said.push({ result: 'retired', metric });
          }
      }
    });

  const conclude = async (answers: readonly Answered[]): Promise<unknown> => {
    silences++;
    if (answers.some(([, { status }]) => status > 0)) {
      silences = 0;
      await settle(answers);
    }
    return waiting() <= 0 && answers.every(([, , settlement]) => settlement) ? next() : schedule();
  };
  /** With synchronous storage the transport is called synchronously, because a process that is exiting runs no later callbacks. */
  const next = (): Maybe<unknown> => {
    cancel();
    if (!isActive()) return;
    const { me } = device;
    const sealed = turn((state, isGranted) => (isGranted ? seal(device, state) : []));
    return after(sealed, (batches) => {
      // Meanwhile the person may have refused, or the page may have been left and returned to under a new context id.
      if (batches?.length && isActive() && me === device.me) return Promise.all(batches.map(deliver)).then(conclude);
      if (!batches) silences++;
      return schedule();
    });
  };

  const flush = (): Promise<void> => {
    // Another flush follows, for what was recorded since this one began.
    if (sending) {
      again ??= sending.then(() => {
        again = undefined;
        return flush();
      });
      return again;
    }
    // Only a broken rng or an app's own adapter can fail here. The outbox is then unchanged.
    sending = Promise.resolve(attempt(next)).then(() => {
      sending = undefined;
    });
    return sending;
  };

  return [
    schedule,
    cancel,
    () => {
      silences = 0;
      return flush();
    },
  ];
}
