/**
 * `createTelemetry`: what an app calls. The trusted path is in record.ts; here is when it runs. A record is randomized at once;
 * at the end of its tick all are spilled, and claim their slots in one transaction. Only what that has written may be sent.
 */

import type { Segments } from '@murmuration/shared';
import { pageLifecycle, privacyControl, systemClock } from './adapters/lifecycle.ts';
import { type Delivery, fetchTransport, type Upload } from './adapters/transport.ts';
import { webStorage } from './adapters/web-storage.ts';
import { assertOptions } from './checks.ts';
import { createDevice } from './device.ts';
import { announce, explain, explainDelivery } from './explain.ts';
import type { QueuedBatch } from './ledger/queued.ts';
import { spentState } from './ledger/state.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import { bodyOf, erase, fresh } from './outbox.ts';
import type { DeviceQuestions } from './questions/question.ts';
import { randomize } from './record.ts';
import { resetDevice } from './reset.ts';
import { createSender } from './sender.ts';
import { advance, answer, type Entry, hasOtherwise, isTaken } from './slots.ts';
import { createSpill } from './spill.ts';
import { createDeviceStore } from './store.ts';
import type { Options, Outcome, Telemetry } from './types.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Starts telemetry on a device. Nothing is stored or sent before the person decides.
 *
 * @throws {RangeError} that names an option, what was expected and what came; a production bundle holds no checks
 * @example
 * const telemetry = createTelemetry({ schema, endpoint: 'https://t.example.com' });
 * telemetry.consent.grant();
 * telemetry.record('plan', 'pro');
 */
export function createTelemetry<const M extends DeviceQuestions, const S extends Segments>(options: Options<M, S>): Telemetry<M> {
  if (process.env.NODE_ENV !== 'production') {
    assertOptions(options);
    announce(options);
  }
  const { schema, endpoint, key, clock = systemClock, consent: fallback = 'ask' } = options;
  const { storage = webStorage(), transport = fetchTransport, lifecycle = pageLifecycle } = options;
  const { document, wire } = schema;
  const name = `murmuration:${document.app}`;

  const url = `${endpoint.replace(/\/$/, '')}/v1/reports${key ? `?key=${encodeURIComponent(key)}` : ''}`;
  const uploadOf = (batch: QueuedBatch): Upload => ({ url, body: bodyOf(batch) });
  const send = (batch: QueuedBatch): Promise<Delivery> => {
    const delivery = transport(uploadOf(batch));
    if (process.env.NODE_ENV !== 'production') explainDelivery(options, delivery);
    return delivery;
  };

  let isAway = false; // the page has been left, and may come back
  let isClosed = false;
  let writing = 0; // transactions on their way that may add to a batch of this context
  let last: Maybe<unknown>; // of all
  let turned: Maybe<unknown>; // of those after which something may go: an upload waits for no other
  let pending: Entry[] = []; // randomized, and not yet claimed
  const listeners = new Set<() => void>();

  const tell = (outcome: Outcome): void => {
    attempt(() => options.onOutcome?.(outcome)); // a mistake in an app's own listener must not reach its page
    if (process.env.NODE_ENV !== 'production') attempt(() => explain(options, outcome, store.view));
  };
  const tellAll = (entries: readonly Entry[], result: Outcome['result']): void => {
    for (const { metric } of entries) tell({ result, metric });
  };
  const refusePending = (): void => {
    tellAll(pending, 'no-consent');
    pending = [];
  };
  const device = createDevice(options, clock);
  const spill = createSpill(storage, name);
  const store = createDeviceStore(
    storage,
    spill,
    name,
    device,
    fallback === 'granted' && privacyControl() ? 'denied' : fallback,
    tell,
    () => {
      if (store.consent() === 'denied') {
        cancel();
        refusePending();
        spill.answers().forEach(spill.drop);
      }
      for (const listener of [...listeners]) attempt(listener);
    },
  );
  /** The day, which never goes back. */
  const today = (): number => Math.max(store.view.day, device.today());
  const isOpen = (): boolean => !isAway && !isClosed;
  const isActive = (): boolean => isOpen() && store.consent() === 'granted';
  const { schedule, cancel, flush: sendAll } = createSender(device, store, clock, send, isActive);

  /** Claims the slots of randomized answers, in one transaction, and sends soon what came of it. Whether that is done. */
  const write = (entries: readonly Entry[], isTurning: boolean): Maybe<boolean | undefined> => {
    writing += Number(isTurning);
    const done = after(
      store.change((state, isGranted) => {
        const give = (isOtherwise: boolean): void => {
          for (const entry of entries) {
            const { metric } = entry;
            if (hasOtherwise(device, metric) === isOtherwise)
              device.said.push({ result: isGranted ? answer(device, state, entry) : 'no-consent', metric });
          }
        };
        // Answers in the place of `otherwise` turn no day: nothing tells that there were any.
        give(true);
        if (isGranted && isTurning) advance(device, state);
        give(false);
        return true;
      }, isTurning),
      (isDone) => {
        writing -= Number(isTurning);
        if (isDone) entries.forEach(spill.drop);
        else if (isOpen()) tellAll(entries, 'storage-failed');
        else pending.push(...entries); // until the page is back
        if (isTurning) schedule(); // nor do they set a timer
        return isDone;
      },
    );
    last = done;
    if (isTurning) turned = done;
    return done;
  };
  /** Writes all that waits; nothing before it is known whether the person agrees. */
  const commit = (): Maybe<unknown> => {
    const entries = pending;
    if (!entries[0] || store.consent() === 'unknown') return;
    // Noted at the end of the task that recorded them, which no page is closed before: a note costs more than a record.
    if (store.consent() === 'granted') entries.forEach(spill.keep);
    if (!isOpen()) return;
    pending = [];
    const isTurning = entries.some(({ metric }) => !hasOtherwise(device, metric));
    return write(entries, isTurning);
  };
  const flush = (): Promise<void> => {
    void commit();
    return sendAll();
  };

  /** Looks at what is stored, claims what an earlier page left, and sends what waits. */
  const start = (): void => {
    isAway = false;
    device.me = attempt(device.newId) ?? '-'; // another after each return: what was sent when the page was left takes nothing more
    // What waits here may lie in the spill too: each is claimed, and told, once.
    const answers = [...new Map([...spill.answers(), ...pending].map((each) => [each.id, each])).values()];
    pending = [];
    // One of today that is another version's may be claimed by a page that still runs it.
    const entries = answers.filter((each) => each.wire === wire || each.day < today());
    last = after(write(entries, true), (isDone) => {
      if (!isDone) {
        tell({ result: 'storage-failed' });
        store.giveUp();
      }
      return commit(); // whoever flushes or closes hears first what became of each record
    });
  };
  /** The page is left: what this context has written is sent as it is, and the storage is let go, for one that is held would block all pages. */
  const leave = (): unknown => {
    if (!storage.suspend) return flush();
    if (isActive() && writing === 0)
      for (const batch of fresh(device, store.view)) if (spill.decision().value !== 'denied') void attempt(() => send(batch));
    isAway = true;
    cancel();
    return storage.suspend();
  };
  const stopListening = lifecycle((event) => (event === 'leave' ? leave() : event === 'return' ? start() : isOpen() && flush()));
  const stopWatching = storage.watch?.(`${name}:consent`, () => isOpen() && store.change(() => {}));
  start();

  const record = (metric: string, value: unknown): void => {
    const claim = randomize(device, metric, value);
    const consent = store.consent();
    const refuse = (result: Outcome['result']): void => tell({ result, metric });
    if (typeof claim === 'string') return refuse(claim);
    if (isClosed) return refuse('closed');
    if (consent === 'ask' || consent === 'denied') return refuse('no-consent');
    if (isTaken(device, store.view, metric, today())) return refuse('already-answered');
    const entry = { ...claim, wire, day: today() };
    // All records of a tick share one transaction.
    if (pending.push(entry) === 1) void Promise.resolve().then(commit);
  };

  const decide = (value: 'granted' | 'denied', isForgotten?: boolean): Maybe<unknown> => {
    // What was recorded before counts by what held until now.
    if (store.consent() === 'granted') void commit();
    refusePending();
    const decided = store.decide(value, (state) => {
      if (value === 'granted') return advance(device, state);
      erase(device, state);
      if (isForgotten) Object.assign(state, { ...spentState(document, state.accounts, state.day), decision: state.decision });
    });
    last = after(decided, (isDone) => isDone || tell({ result: 'storage-failed' }));
    return last;
  };

  /** Waits for what is being written, and for what had to wait until that told whether the person agrees; then sends. */
  const finish = async (): Promise<void> => {
    await turned;
    await turned;
    await flush();
  };

  return {
    record,
    consent: {
      get state() {
        return store.consent();
      },
      grant: () => void decide('granted'),
      deny: () => void decide('denied'),
      subscribe: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    look: async () => {
      await last;
      await commit();
      if (isOpen()) await store.change(() => {});
      return { state: store.view, schema, today: today(), uploadOf };
    },
    ...(process.env.NODE_ENV !== 'production' && { reset: () => resetDevice(store, spill) }),
    forget: async () => void (await decide('denied', true)),
    flush: finish,
    close: async () => {
      await finish();
      await last;
      isClosed = true;
      cancel();
      stopListening();
      stopWatching?.();
      storage.suspend?.();
    },
  };
}
