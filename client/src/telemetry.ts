/**
 * `createTelemetry`: randomizes on the device, at once; stores only what is randomized; claims slots before it sends.
 * A reviewer reads `record` and `commit` here, with random/, randomizers/ and ledger/.
 */

import { ACCEPTED_DAYS, dayNumber, dayText, type MetricDocument, type Segments, toBase64url } from '@murmuration/shared';
import { pageLifecycle, systemClock } from './adapters/lifecycle.ts';
import { webStorage } from './adapters/storage.ts';
import { type Delivery, fetchTransport, type Upload } from './adapters/transport.ts';
import { assertOptions } from './checks.ts';
import { createTimer, isFinal, LONGEST_RETRY_AFTER, longestPause, soon } from './delivery.ts';
import { claim } from './ledger/ledger.ts';
import { openStore, type State, VERSION } from './ledger/state.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import { addReport, type Batch, bodyOf, type Report, takeBack } from './outbox.ts';
import type { DeviceQuestions } from './questions.ts';
import { createCoins, systemRng, words } from './random/coins.ts';
import type { Randomize } from './randomizers/randomizer.ts';
import type { Consent, Options, Outcome, Telemetry } from './types.ts';
import { ledgerView, meaningOf } from './view.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Characters of a batch that takes no more: with one report of the longest list it stays below the 64 KiB that keepalive and collector allow. */
const FULL = 40_000;

/** Whether the browser says that this person does not want to be measured (Global Privacy Control). */
const privacyControl = (): boolean =>
  !!(globalThis.navigator as { readonly globalPrivacyControl?: boolean } | undefined)?.globalPrivacyControl;

/**
 * Starts telemetry on a device. Nothing is stored or sent before the person agrees and something is recorded.
 *
 * @throws {RangeError} when there is no endpoint, or `segment` does not fit the schema
 * @example
 * const telemetry = createTelemetry({ schema, endpoint: 'https://t.example.com' });
 * telemetry.consent.grant();
 * telemetry.record('plan', 'pro');
 */
export function createTelemetry<const M extends DeviceQuestions, const S extends Segments>(options: Options<M, S>): Telemetry<M> {
  const { endpoint, key, segment, onOutcome, clock = systemClock, transport = fetchTransport } = options;
  const { document: schema, questions, wire } = options.schema;
  const { budget, metrics, segments = {} } = schema;
  if (process.env.NODE_ENV !== 'production') assertOptions(endpoint, segments, segment);

  const word = words(options.rng ?? systemRng);
  const coins = createCoins(word);
  const batchId = (): string => [word(), word(), word(), word()].map((part) => part.toString(16).padStart(8, '0')).join('');
  const url = `${endpoint.replace(/\/$/, '')}/v1/reports${key ? `?key=${encodeURIComponent(key)}` : ''}`;
  const uploadOf = (batch: Batch): Upload => ({ url, body: bodyOf(batch) });

  const state: State = { v: VERSION, day: 0, accounts: Object.create(null), outbox: [] };
  let closed = false;
  let opening: Maybe<void>; // a promise until the storage has answered
  let unsaved: Report[] = []; // claimed since the last write
  let open = ''; // the id of the batch that may still grow
  let sending: Promise<void> | undefined;
  let failures = 0;
  let notBefore = 0; // by the collector's Retry-After
  let earlier: Consent['state'] = options.consent === 'granted' && privacyControl() ? 'denied' : (options.consent ?? 'ask');
  const consent = (): Consent['state'] => state.consent ?? earlier;
  const isOpen = (): boolean => !closed && consent() === 'granted';
  /** Today, held at the greatest day seen. */
  const advance = (): number => {
    state.day = Math.max(state.day, dayNumber(clock.now()));
    return state.day;
  };

  /** A mistake in an app's own listener must not reach its page. */
  const say = (result: Outcome['result'], metric?: string): void => {
    attempt(() => onOutcome?.({ metric, result }));
  };

  /** Writes the state. Reports whose claim could not be written are taken back: they may not be sent. */
  const persist = (): Maybe<void> => {
    const written = unsaved;
    unsaved = [];
    return after(store.save(state), (ok) => {
      if (!ok) state.outbox = takeBack(state.outbox, written);
      for (const [metric] of written) say(ok ? 'recorded' : 'storage-failed', metric);
    });
  };

  /** From a randomized answer to a report in the outbox, if its slot is free. No value is known here. */
  const commit = (name: string, metric: MetricDocument, symbol: Uint8Array, asked: Consent['state'] | undefined, recorded: number) => {
    // What was recorded before the person decided counts by what held until then.
    if (!isOpen() || (asked ?? earlier) !== 'granted') return say('no-consent', name);
    // A window counts days of recording: what waited for the storage past its day is dropped.
    if (dayNumber(clock.now()) !== recorded) return say('expired', name);
    const today = advance();
    const account = claim(name, metric, state.accounts, toBase64url(symbol), today, budget);
    if (typeof account === 'string') return say(account, name);
    const taken = attempt(() => {
      const bytes = account.epoch ? questions[name]?.respond?.(metric.law, account.epoch.symbol, coins) : symbol;
      const report: Report = [name, [...(bytes as Uint8Array)]];
      const day = dayText(today);
      const growing = state.outbox.find((batch) => batch.batch === open && batch.day === day && bodyOf(batch).length < FULL);
      const batch = growing ?? { v: 1, schema: wire, ...(segment && { segment }), day, batch: batchId(), reports: [] };
      state.outbox = addReport(state.outbox, batch, report, coins.uniform);
      state.accounts[name] = account;
      open = batch.batch;
      if (unsaved.push(report) === 1) void Promise.resolve().then(persist);
      schedule();
      return true;
    });
    if (!taken) say('no-entropy', name);
  };

  const record = (name: string, value: unknown) => {
    const asked = state.consent;
    const question = Object.hasOwn(questions, name) && questions[name];
    if (!question) return say('unknown-metric', name);
    const input = attempt(() => question.input(value as never));
    if (input === undefined) return say('wrong-type', name);
    const metric = metrics[name] as MetricDocument;
    const { law } = metric;
    const symbol = attempt(() => (question.randomizers[law.mechanism] as Randomize<unknown, unknown>)(law, input, coins));
    if (!symbol) return say('no-entropy', name);
    const recorded = dayNumber(clock.now());
    void after(opening, () => commit(name, metric, symbol, asked, recorded));
  };

  const store = openStore(options.storage ?? webStorage(), `murmuration:${schema.app}`);
  /** A whole number below n; n itself without entropy, when there may still be something to send again. */
  const jitter = (n: number): number => attempt(() => coins.uniform(n)) ?? n;

  const schedule = (milliseconds = soon(jitter)): void => {
    // A clock that went back must not make a day's pause longer than a timer can hold.
    if (isOpen()) timer.start(Math.min(LONGEST_RETRY_AFTER, Math.max(milliseconds, notBefore - clock.now())));
  };

  /** Takes a batch out, and says what became of its reports. */
  const settle = ({ batch, reports }: Batch, result: Outcome['result']): void => {
    state.outbox = state.outbox.filter((other) => other.batch !== batch);
    for (const [metric] of reports) say(result, metric);
  };

  const deliver = async (batch: Batch): Promise<void> => {
    const { status, retryAfter = 0 }: Delivery = (await attempt(() => transport(uploadOf(batch)))) ?? { status: 0 };
    if (isFinal(status)) {
      failures = 0;
      settle(batch, status < 300 ? 'delivered' : 'refused');
    } else {
      if (retryAfter > 0) notBefore = clock.now() + Math.min(LONGEST_RETRY_AFTER, retryAfter * 1_000);
      timer.cancel();
      schedule(jitter(longestPause(failures++)));
    }
  };

  /** Fixes the bytes of all batches, and writes the state with all that was claimed since. */
  const seal = (): Maybe<void> => {
    open = '';
    return persist();
  };

  /** No await stands before the transport when the storage is synchronous. */
  const send = async (): Promise<void> => {
    if (!isOpen() || state.outbox.length === 0) return;
    timer.cancel();
    const oldest = dayText(state.day - ACCEPTED_DAYS.before);
    for (const batch of state.outbox) if (batch.day < oldest) settle(batch, 'expired');
    const sealed = state.outbox.map(({ batch }) => batch);
    await after(seal(), async () => {
      // What was recorded while this was written is not written yet: only what was sealed may go.
      if (isOpen()) await Promise.all(state.outbox.filter(({ batch }) => sealed.includes(batch)).map(deliver));
    });
    await seal();
  };

  const flush = (): Promise<void> => {
    sending ??= send()
      .catch(() => {}) // only a broken rng or an app's own adapter gets here; the outbox is as it was
      .finally(() => {
        sending = undefined;
      });
    return sending;
  };

  const timer = createTimer(clock, flush);
  const stopListening = (options.lifecycle ?? pageLifecycle)(() => (clock.now() < notBefore ? undefined : flush()));

  opening = after(store.read(), (read) => {
    earlier = read?.consent ?? earlier;
    Object.assign(state, read, state.consent && { consent: state.consent }); // a decision since outweighs what was stored
    if (!read) {
      // What can't be read counts as spent, the whole budget of it, and every metric as answered today.
      say('storage-reset');
      if (earlier === 'granted') earlier = 'ask'; // a refusal may have been lost with it
      const day = advance();
      Object.keys(metrics).forEach((name, i) => {
        state.accounts[name] = { day, spent: i > 0 ? [] : [{ epsilon: budget.epsilon, budget, day }] };
      });
    }
    opening = undefined;
    if (state.outbox.length > 0) schedule();
  });

  const decide = (decision: 'granted' | 'denied'): void => {
    state.consent = decision;
    void after(opening, () => {
      if (decision === 'denied') {
        unsaved = [];
        state.outbox = [];
        timer.cancel();
      }
      if (!closed) return persist(); // another context may hold the ledger now
    });
  };

  return {
    record,
    consent: {
      get state() {
        return consent();
      },
      grant: () => decide('granted'),
      deny: () => decide('denied'),
    },
    preview: async () => {
      await opening;
      return state.outbox.map((batch) => ({
        ...uploadOf(batch),
        reports: batch.reports.map(([metric, bytes]) => ({
          metric,
          meaning: meaningOf(questions[metric], metrics[metric]?.law, bytes),
        })),
      }));
    },
    ledger: async () => {
      await opening;
      return ledgerView(metrics, state.accounts, advance(), budget);
    },
    flush: async () => {
      await opening;
      await flush();
    },
    close: async () => {
      await opening;
      await flush();
      closed = true;
      timer.cancel();
      stopListening();
      store.close();
    },
  };
}
