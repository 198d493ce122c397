/**
 * `createTelemetry`, the app's entry point. record.ts holds the trusted path; this file decides when it runs. A value is randomized at
 * once. At the end of the tick, all randomized answers are written to the spill and claim their slots in one transaction. Only reports that
 * this transaction has stored may be sent.
 *
 * An answer to a metric with `otherwise` causes no transaction, and so nothing that anybody could notice. It waits for the next one that
 * takes place anyway: where the page is hidden, at the next flush or record of another metric, or at the next start.
 */

import type { Segments } from '@murmuration/shared';
import { isForeign, pageLifecycle, systemClock } from './adapters/lifecycle.ts';
import type { Storage } from './adapters/storage.ts';
import { type Delivery, fetchTransport, type Upload } from './adapters/transport.ts';
import { webStorage } from './adapters/web-storage.ts';
import { assertOptions } from './checks.ts';
import { createDevice, type OptionPart } from './device.ts';
import { announce, explain, explainDelivery } from './explain.ts';
import { DENIED, GRANTED } from './ledger/decision.ts';
import type { Claim } from './ledger/ledger.ts';
import type { QueuedBatch } from './ledger/queued.ts';
import { spentState } from './ledger/state.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import { batching, consenting, identifying, sampling } from './options.ts';
import { bodyOf, dueNow, erase, turnTo } from './outbox.ts';
import type { DeviceQuestions } from './questions/question.ts';
import { randomize } from './record.ts';
import { resetDevice } from './reset.ts';
import { createSender, type Turn } from './sender.ts';
import { advance, answer, type Entry, hasOtherwise, isTaken, slotDays } from './slots.ts';
import { createSpill } from './spill.ts';
import { createDeviceStore } from './store.ts';
import type { Options, Outcome, Telemetry } from './types.ts';
import { observe, watch } from './watch.ts';

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
export function createTelemetry<const M extends DeviceQuestions, const S extends Segments, const E extends string>(
  options: Options<M, S, E>,
): Telemetry<M>;
export function createTelemetry<const M extends DeviceQuestions, const S extends Segments>(options: Options<M, S>): Telemetry<M> {
  return start(options, [identifying, consenting, batching, sampling]);
}

/**
 * Starts telemetry with the code of some options only.
 *
 * @param parts the part of each option that is there (options.ts)
 */
export function start<const M extends DeviceQuestions, const S extends Segments>(
  options: Options<M, S>,
  parts: readonly OptionPart[],
): Telemetry<M> {
  if (process.env.NODE_ENV !== 'production') {
    assertOptions(options);
    announce(options);
  }
  // Without a prototype: what a page's bug puts on `Object.prototype` is no option, above all no consent.
  const own: Options<M, S> = { __proto__: null, ...options };
  const { schema, endpoint, clock = systemClock } = own;
  const isShut = !own.partitioned && isForeign(); // a foreign frame gets no storage, so nothing is recorded
  const failure = isShut ? 'third-party' : 'storage-failed';
  const { transport = fetchTransport, lifecycle = pageLifecycle } = own;
  const storage = isShut ? ({} as Storage) : (own.storage ?? webStorage()); // every step of `{}` fails
  const { document, wire } = schema;
  const name = `murmuration:${document.app}`;
  const device = createDevice(own, clock, parts);

  // A production build may lack it, as where an environment variable is not set. Nothing answers there, and reports wait.
  const url = (endpoint || 'https://none.invalid').replace(/\/*$/, '/v1/reports') + (device.query ?? '');
  const uploadOf = (batch: QueuedBatch): Upload => ({ url, body: bodyOf(batch) });
  const send = (batch: QueuedBatch): Promise<Delivery> => {
    const delivery = transport(uploadOf(batch));
    if (process.env.NODE_ENV !== 'production') explainDelivery(options, delivery);
    return delivery;
  };

  let isAway = false; // the page has been left and may come back
  let isClosing = false; // nothing more is recorded
  let isClosed = false;
  let hasFailed = false; // it was said that nothing can be stored
  let writing = 0; // pending transactions that may add to a batch of this context
  let last: Maybe<unknown>; // the last transaction
  let pending: Entry[] = []; // randomized, but not claimed yet
  const listeners = new Set<() => void>();

  const tell = (outcome: Outcome): void => {
    attempt(() => own.onOutcome?.(outcome)); // an exception in the app's listener must not reach its page
    if (process.env.NODE_ENV !== 'production') {
      attempt(() => explain(options, outcome, store.view));
      attempt(() => observe(options, outcome, store.view));
    }
  };
  const refuse = (result: Outcome['result'], entries: readonly Entry[] = pending.splice(0)): void => {
    for (const { metric } of entries) tell({ result, metric });
  };
  /** Tells once that the storage fails, unless the page was left: it ends transactions then. */
  const tellFailure = (): void => {
    if (isAway || hasFailed) return;
    hasFailed = true;
    tell({ result: failure });
  };
  const isOpen = (): boolean => !isAway && !isClosed;
  const spill = createSpill(storage, name);
  const store = createDeviceStore(
    storage,
    spill,
    name,
    device,
    tell,
    () => {
      if (store.consent() === 'denied') {
        cancel();
        refuse('no-consent');
        spill.answers().forEach(spill.drop);
      }
      [...listeners].forEach(attempt);
    },
    () => isAway,
  );
  /** The current day. It never goes back. */
  const today = (): number => Math.max(store.view.day, device.today());
  const hasAgreed = (): boolean => store.consent() === 'granted';
  const isActive = (): boolean => isOpen() && hasAgreed();
  const hides = ({ metric }: { readonly metric: string }): boolean => hasOtherwise(device, metric);
  const hasHidden = Object.keys(document.metrics).some((metric) => hides({ metric }));

  /**
   * Starts a new day and claims the slots of pending answers, in one transaction. The result is that of `work`, or undefined if the
   * transaction failed.
   *
   * @param isAll false for answers to metrics with `otherwise` only
   * @param left what an earlier page left in the spill
   */
  const turn: Turn = (work, isAll, left = []) => {
    const mine = pending.filter((entry) => isAll || hides(entry));
    const entries = [...left, ...mine];
    pending = pending.filter((entry) => !mine.includes(entry));
    last = after(
      store.change((state, isGranted) => {
        // Answers that replace `otherwise` do not start a new day, so that nothing reveals that there were any.
        for (const isHidden of [true, false]) {
          if (isGranted && !isHidden) advance(device, state);
          for (const entry of entries)
            if (hides(entry) === isHidden)
              device.said.push({ result: isGranted ? answer(device, state, entry) : 'no-consent', metric: entry.metric });
        }
        return work(state, isGranted);
      }, hasHidden),
      (result) => {
        if (result) entries.forEach(spill.drop);
        else if (isAway)
          pending.push(...mine); // kept until the page returns
        else refuse(failure, mine);
        return result;
      },
    );
    return last as Maybe<never>;
  };
  /** Claims slots and schedules sending of the reports. */
  const claim = (left?: readonly Entry[]): Maybe<object | undefined> => {
    writing++;
    return after(
      turn((state) => state, true, left),
      (isDone) => {
        writing--;
        schedule();
        return isDone;
      },
    );
  };
  /** Puts answers into the spill: at the end of the task that recorded them, because no page closes before that. */
  const keep = (entries: readonly Entry[]): void => {
    if (hasAgreed()) for (const entry of entries) spill.keep(entry, slotDays(device, entry.metric));
  };
  /**
   * Writes pending answers, but nothing before it is known whether the person agrees. Answers to metrics with `otherwise` go along; if there
   * are only such, they wait.
   */
  const commit = (): Maybe<unknown> => {
    keep(pending);
    return store.consent() !== 'unknown' && isOpen() && !pending.every(hides) && claim();
  };
  const [schedule, cancel, sendAll] = createSender(device, store, clock, send, isActive, turn);
  /** Reads what other contexts have stored. */
  const refresh = (): Maybe<unknown> => isOpen() && store.change(() => {});
  /** Writes and sends what waits. Where no storage event tells of a decision, as in a worker, the stored one is read first. */
  const flush = (): Promise<void> =>
    Promise.resolve(
      after(storage.watch || isActive() || refresh(), () => {
        void commit();
        return sendAll();
      }),
    );

  /** Reads the stored state, claims slots for answers that an earlier page left behind, and sends waiting batches. */
  const start = (): void => {
    isAway = false;
    device.me = attempt(device.newId) ?? '-'; // a new id after each return: batches sent when the page was left accept no more
    // A pending answer may also be in the spill. Each answer is claimed, and its outcome reported, once. Today's answers under another
    // schema version may still be claimed by a page that runs that version.
    const left = spill
      .answers()
      .filter(({ id, wire: of, day }) => (of === wire || day < today()) && !pending.some((each) => each.id === id));
    last = after(claim(left), (isDone) => {
      if (!isDone) {
        tellFailure();
        store.giveUp();
      }
      return commit(); // outcomes of all records are reported before `flush` or `close` resolves
    });
  };
  /**
   * The page is left: batches that this context began are sent as they are, and the storage is released, because holding it would block
   * other pages.
   */
  const leave = (): unknown => {
    if (!storage.suspend) return flush();
    if (isActive() && writing === 0)
      for (const batch of dueNow(device, store.view))
        if (batch.by === device.me && !(spill.decision() & DENIED)) void attempt(() => send(batch));
    isAway = true;
    cancel();
    return storage.suspend();
  };
  const stopListening = lifecycle((event) => (event === 'leave' ? leave() : event === 'return' ? start() : isOpen() && flush()));
  const stopWatching = storage.watch?.(`${name}:consent`, refresh);
  start();

  const record = (metric: string, value: unknown): void => {
    const claim = randomize(device, metric, value);
    const consent = store.consent();
    const refused =
      typeof claim === 'string'
        ? claim
        : isClosing
          ? 'closed'
          : ['ask', 'denied'].includes(consent)
            ? 'no-consent'
            : isTaken(device, store.view, metric, today()) || pending.some((entry) => entry.metric === metric)
              ? 'already-answered'
              : undefined;
    if (refused) return tell({ result: refused, metric });
    const isHidden = hides({ metric });
    // All records of a tick share one transaction. One of a metric with `otherwise` does not even make it begin earlier.
    pending.push({ ...(claim as Claim), wire, day: today(), place: (isHidden ? '?' : '') + metric });
    void Promise.resolve().then(() => (isHidden ? keep(pending.filter(hides)) : commit()));
  };

  const decide = (answer: typeof GRANTED | typeof DENIED, isForgotten?: boolean): Maybe<unknown> => {
    // Earlier records are treated according to the consent that applied until now.
    if (hasAgreed()) void commit();
    else refuse('no-consent');
    const decided = store.decide(answer, (state) => {
      if (answer === GRANTED) return advance(device, state);
      erase(device, state);
      if (!isForgotten) return;
      turnTo(state, device.today());
      Object.assign(state, spentState(document, state.accounts, state.day), { decision: state.decision });
    });
    last = after(decided, (isDone) => isDone || tellFailure());
    return last;
  };

  /** Waits for the pending write, and for the write that had to wait until it was known whether the person agrees. Then sends. */
  const finish = async (): Promise<void> => {
    await last;
    await last;
    await flush();
  };

  const telemetry: Telemetry<M> = {
    record,
    consent: {
      get state() {
        return store.consent();
      },
      grant: () => void decide(GRANTED),
      deny: () => void decide(DENIED),
      subscribe: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    look: async () => {
      await last;
      await commit();
      await (isOpen() && turn((state) => state)); // no claim: a page that looks all the time would never count as written
      return { state: store.view, schema, today: today(), uploadOf };
    },
    forget: async () => void (await decide(DENIED, true)),
    flush: finish,
    close: async () => {
      isClosing = true;
      await finish();
      let waited: typeof last;
      do {
        waited = last;
        await waited; // a decision may be made meanwhile
      } while (waited !== last);
      isAway = false;
      isClosed = true;
      cancel();
      stopListening();
      stopWatching?.();
      refuse(failure); // of a page that was left: they may wait in the spill
      storage.suspend?.();
    },
  };
  return process.env.NODE_ENV === 'production'
    ? telemetry
    : watch(options, { ...telemetry, reset: () => resetDevice(store, storage, name) });
}
