/**
 * `createTelemetry`: randomizes on the device, at once; stores only what is randomized; claims slots before it sends.
 * A reviewer reads `record` and `commit` here, with random/, randomizers/ and ledger/.
 */

import { dayNumber, type MetricDocument, type Segments } from '@murmuration/shared';
import { pageLifecycle, privacyControl, systemClock } from './adapters/lifecycle.ts';
import { webStorage } from './adapters/storage.ts';
import { fetchTransport, type Upload } from './adapters/transport.ts';
import { assertOptions } from './checks.ts';
import { participation } from './ledger/participation.ts';
import { type Decision, emptyState, openStore, type State, spentState } from './ledger/state.ts';
import { after, attempt, type Maybe, within } from './maybe.ts';
import { type Batch, bodyOf, createOutbox, type Report, turnTo } from './outbox.ts';
import type { DeviceQuestion, DeviceQuestions } from './questions.ts';
import { createCoins, systemRng, words } from './random/coins.ts';
import type { Randomize } from './randomizers/randomizer.ts';
import { createSender } from './sender.ts';
import { createSlots } from './slots.ts';
import type { Consent, Options, Outcome, Telemetry } from './types.ts';
import { ledgerView, previewOf } from './view.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** The most batches with one day's date. */
const PER_DAY = 8;
/** Milliseconds to wait for the storage, or for the lock of another tab, before showing what that tab has stored. */
const PATIENCE = 500;

/**
 * Starts telemetry on a device. Nothing is stored or sent before the person agrees and something is recorded.
 *
 * @throws {RangeError} that names an option, what was expected and what came; a production bundle holds no checks
 * @example
 * const telemetry = createTelemetry({ schema, endpoint: 'https://t.example.com' });
 * telemetry.consent.grant();
 * telemetry.record('plan', 'pro');
 */
export function createTelemetry<const M extends DeviceQuestions, const S extends Segments>(options: Options<M, S>): Telemetry<M> {
  if (process.env.NODE_ENV !== 'production') assertOptions(options);
  const { endpoint, key, segment, onOutcome, sample = 1, clock = systemClock } = options;
  const { document: schema, questions, wire } = options.schema;
  const { budget, metrics } = schema;

  const word = words(options.rng ?? systemRng);
  const coins = createCoins(word);
  const batchId = (): string => [word(), word(), word(), word()].map((part) => part.toString(16).padStart(8, '0')).join('');
  const url = `${endpoint.replace(/\/$/, '')}/v1/reports${key ? `?key=${encodeURIComponent(key)}` : ''}`;
  const uploadOf = (batch: Batch): Upload => ({ url, body: bodyOf(batch) });

  const state = emptyState();
  let chosen: readonly string[] | undefined; // the metrics that this device answers, once that is known
  let closed = false;
  let opening: Maybe<void>; // a promise until the storage has answered
  let unsaved: Report[] = []; // claimed since the last write
  let isDirty = false;
  let isReset = false; // what is stored could not be read
  let decided: Consent['state'] | undefined; // since the start, here or in another tab
  let earlier: Consent['state'] = options.consent === 'granted' && privacyControl() ? 'denied' : (options.consent ?? 'ask');
  const consent = (): Consent['state'] => decided ?? earlier;
  const isOpen = (): boolean => !closed && !opening && consent() === 'granted';
  const advance = (): number => turnTo(state, dayNumber(clock.now()));

  /** A mistake in an app's own listener must not reach its page. */
  const say = (result: Outcome['result'], metric?: string): void => {
    attempt(() => onOutcome?.({ metric, result }));
  };

  /** Writes the state. Reports whose claim could not be written are taken back: they may not be sent. */
  const persist = (): Maybe<true | undefined> => {
    let written: Report[] = [];
    isDirty = false;
    const take = (): State => {
      written = unsaved;
      unsaved = [];
      return state;
    };
    return after(store.save(take), (ok) => {
      if (!ok) outbox.takeBack(written);
      if (!state.outbox[0]) cancel(); // a timer with nothing to send would hold a process
      for (const [metric, , since] of written) say(!ok ? 'storage-failed' : since ? 'begun' : 'recorded', metric);
      return ok;
    });
  };
  /** Writes the state when this tick is over. */
  const touch = (): void => {
    if (!isDirty) void Promise.resolve().then(() => isDirty && persist());
    isDirty = true;
  };

  const isChosen = (name: string): boolean => {
    if (!chosen) {
      chosen = participation(schema, state, sample, word, coins);
      if (sample < 1 || schema.assign) touch();
    }
    return chosen.includes(name);
  };

  /** A value, randomized; or why not. */
  const randomize = (name: string, value: unknown): Uint8Array | Outcome['result'] => {
    const { input, randomizers } = questions[name] as DeviceQuestion<unknown>;
    const { law } = metrics[name] as MetricDocument;
    const encoded = attempt(() => input(value));
    if (encoded === undefined) return 'wrong-type';
    return attempt(() => (randomizers[law.mechanism] as Randomize<unknown, unknown>)(law, encoded, coins)) ?? 'no-entropy';
  };

  const record = (name: string, value: unknown) => {
    const asked = decided;
    const symbol = Object.hasOwn(questions, name) ? randomize(name, value) : 'unknown-metric';
    if (typeof symbol === 'string') return say(symbol, name);
    const recorded = dayNumber(clock.now());
    const commit = (): Outcome['result'] | '' => {
      // What was recorded before the person decided counts by what held until then.
      if (!isOpen() || (asked ?? earlier) !== 'granted') return 'no-consent';
      // A window counts days of recording: what waited for the storage past its day is dropped.
      if (dayNumber(clock.now()) !== recorded) return 'expired';
      if (!isChosen(name)) return 'not-chosen';
      return slots.answer(name, symbol) ?? '';
    };
    void after(opening, () => {
      const result = attempt(commit) ?? 'no-entropy';
      if (result) say(result, name);
    });
  };

  const outbox = createOutbox(
    state,
    { wire, segment, perDay: options.batchesPerDay ?? (options.upload === 'later' ? 1 : PER_DAY) },
    batchId,
    coins.uniform,
    (result, metric) => {
      say(result, metric);
      touch();
    },
  );
  const slots = createSlots({
    schema,
    questions,
    isLater: options.upload === 'later',
    state,
    outbox,
    coins,
    today: advance,
    randomize: (name, value) => (isChosen(name) ? randomize(name, value) : 'not-chosen'),
    keep: (report, isDue) => {
      unsaved.push(report);
      touch();
      if (isDue) schedule();
    },
  });
  /** What may be sent now. */
  const due = (): readonly Batch[] => {
    if (!isOpen()) return [];
    slots.begin();
    advance();
    return outbox.due();
  };
  const { schedule, cancel, flush, nudge } = createSender({
    clock,
    transport: options.transport ?? fetchTransport,
    uploadOf,
    jitter: (n) => attempt(() => coins.uniform(n)) ?? n,
    due,
    seal: () => {
      outbox.seal();
      return persist();
    },
    settle: outbox.settle,
  });

  /** Does what a decision asks for. */
  const obey = (decision: Decision | 'ask'): Maybe<unknown> => {
    if (closed || decision === 'ask') return; // another context may hold the ledger now, or have heard what this one has not
    if (decision === 'granted') {
      if (isReset) touch(); // or the window would begin again with every start
      return due().length > 0 && schedule();
    }
    unsaved = [];
    advance(); // what is dated today counts among today's batches, though nothing was recorded today
    state.outbox = [];
    cancel();
    if (decision === 'forgotten') {
      chosen = undefined;
      Object.assign(state, spentState(Object.keys(metrics), state.accounts, advance(), budget));
    }
    return after(persist(), (ok) => ok && decision === 'forgotten' && consent() === 'denied' && store.decide('denied'));
  };

  /** The person has decided, here or in another tab. */
  const hear = (decision: Decision): Maybe<unknown> => {
    decided = decision === 'granted' ? decision : 'denied';
    say('consent-changed');
    return after(opening, () => obey(decision));
  };
  const decide = (decision: Decision): Maybe<unknown> => {
    void store.decide(decision);
    return hear(decision);
  };

  const store = openStore(options.storage ?? webStorage(), `murmuration:${schema.app}`);
  const stopListening = (options.lifecycle ?? pageLifecycle)(nudge);
  const stopWatching = store.watch((decision) => decision && hear(decision as Decision));

  opening = after(store.decision(), (stored) => {
    if (stored) earlier = stored === 'granted' ? stored : 'denied';
    else if (stored === undefined && earlier === 'granted') earlier = 'ask'; // a refusal may be there that can't be read
    return after(store.read(), (read) => {
      opening = undefined;
      Object.assign(state, read ?? spentState(Object.keys(metrics), {}, advance(), budget));
      isReset = !read;
      if (isReset) say('storage-reset');
      if (stored === 'forgotten') void obey(stored);
      else if (earlier === 'granted' || state.outbox.length > 0) void obey(earlier);
    });
  });

  /** Waits, but not for ever: another tab may hold the lock as long as it lives. */
  const patiently = (work: Maybe<unknown>): Promise<void> => within(work, (late) => clock.after(PATIENCE, late));
  /** The state, as this context holds it or another has stored it. */
  const look = async (): Promise<State> => {
    await patiently(opening);
    return { ...state, ...(opening && (await store.peek())) };
  };

  const finish = (): Promise<void> => patiently(opening).then(flush);

  return {
    record,
    consent: {
      get state() {
        return consent();
      },
      grant: () => void decide('granted'),
      deny: () => void decide('denied'),
    },
    preview: async () => (await look()).outbox.map((batch) => previewOf(batch, uploadOf(batch), questions, metrics)),
    ledger: async () => ledgerView(metrics, (await look()).accounts, advance(), budget),
    forget: () => patiently(decide('forgotten')),
    flush: finish,
    close: async () => {
      await finish();
      closed = true;
      cancel();
      stopListening();
      stopWatching?.();
      store.close();
    },
  };
}
