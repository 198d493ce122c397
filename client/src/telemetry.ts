/**
 * `createTelemetry`: randomizes on the device, at once; stores only what is randomized; claims slots before it sends.
 * A reviewer reads `record` and `commit` here, with random/, randomizers/ and ledger/.
 */

import {
  type Batch,
  conform,
  dayNumber,
  fromBase64url,
  isOneOf,
  isText,
  type MetricDocument,
  type Segments,
  sumOf,
  toBase64url,
} from '@murmuration/shared';
import { pageLifecycle, systemClock } from './adapters/lifecycle.ts';
import { webStorage } from './adapters/storage.ts';
import { fetchTransport, type Upload } from './adapters/transport.ts';
import { claim, keptSymbol, live, nextDay, slotOf } from './ledger/ledger.ts';
import { openStore, type State } from './ledger/state.ts';
import { after, type Maybe } from './maybe.ts';
import { addReport, type Report, takeBack } from './outbox.ts';
import type { DeviceQuestions } from './questions.ts';
import { createCoins, systemRng, words } from './random/coins.ts';
import type { Randomize, Respond } from './randomizers/randomizer.ts';
import { createSender } from './sender.ts';
import type { Consent, Options, Outcome, Telemetry } from './types.ts';
import { meaningOf } from './view.ts';

/** Whether the browser says that this person does not want to be measured (Global Privacy Control). */
const privacyControl = (): boolean =>
  (globalThis.navigator as { readonly globalPrivacyControl?: boolean } | undefined)?.globalPrivacyControl === true;

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
  const { endpoint, key, segment, onOutcome, clock = systemClock } = options;
  const { document: schema, questions, wire } = options.schema;
  const { budget, metrics, segments = {} } = schema;
  isText('endpoint', endpoint);
  conform(Object.fromEntries(Object.entries(segments as Segments).map(([name, values]) => [name, isOneOf(values)])))('segment', segment);

  const word = words(options.rng ?? systemRng);
  const coins = createCoins(word);
  const batchId = (): string => [word(), word(), word(), word()].map((part) => part.toString(16).padStart(8, '0')).join('');
  const heading = { v: 1, schema: wire, ...(segment && { segment }) } as const;
  const url = `${endpoint.replace(/\/$/, '')}/v1/reports${key ? `?key=${encodeURIComponent(key)}` : ''}`;
  const uploadOf = (batch: Batch): Upload => ({ url, body: JSON.stringify(batch) });

  const state: State = { day: 0, accounts: {}, outbox: [], open: '' };
  let closed = false;
  let opening: Maybe<void>; // a promise until the storage has answered
  let stored: Consent['state'] | undefined; // the consent of an earlier visit
  let unsaved: Report[] = []; // claimed since the last write
  const fallback = options.consent === 'granted' && privacyControl() ? 'denied' : (options.consent ?? 'ask');
  const consent = (): Consent['state'] => state.consent ?? fallback;
  const isOpen = (): boolean => !closed && consent() === 'granted';
  /** Today, held at the greatest day seen. */
  const advance = (): number => {
    state.day = Math.max(state.day, dayNumber(clock.now()));
    return state.day;
  };

  const say = (result: Outcome['result'], metric?: string): void => {
    try {
      onOutcome?.({ result, ...(metric !== undefined && { metric }) });
    } catch {
      // A mistake in an app's own listener must not reach its page.
    }
  };

  /** Writes the state. Reports whose claim could not be written are taken back: they may not be sent. */
  const persist = (): Maybe<void> => {
    const written = unsaved;
    unsaved = [];
    return after(store.save(state), (ok) => {
      if (!ok) takeBack(state, written);
      for (const [metric] of written) say(ok ? 'recorded' : 'storage-failed', metric);
    });
  };

  /** From a randomized answer to a report in the outbox, if its slot is free. No value is known here. */
  const commit = (name: string, symbol: Uint8Array, asked: Consent['state']): void => {
    // An answer that was given before the person was asked counts only if they had agreed on an earlier visit.
    if (!isOpen() || (asked === 'ask' ? stored : asked) !== 'granted') return say('no-consent', name);
    const metric = metrics[name] as MetricDocument;
    const account = state.accounts[name];
    const today = advance();
    const slot = slotOf(name, metric, state.accounts, today, budget);
    if (slot !== 'free') return say(slot, name);
    try {
      const kept = keptSymbol(metric, account, today) ?? toBase64url(symbol);
      const respond = questions[name]?.responders?.[metric.law.mechanism] as Respond<unknown> | undefined;
      const report: Report = [name, respond ? toBase64url(respond(metric.law, fromBase64url(kept), coins)) : kept];
      addReport(state, heading, report, batchId, coins.uniform);
      state.accounts[name] = claim(metric, account, kept, today, budget);
      if (unsaved.push(report) === 1) void Promise.resolve().then(() => unsaved.length > 0 && persist());
      sender.schedule();
    } catch {
      say('no-entropy', name);
    }
  };

  const record = (name: string, value: unknown): void => {
    const asked = consent();
    let input: number | string | undefined;
    let symbol: Uint8Array;
    try {
      const question = Object.hasOwn(questions, name) ? questions[name] : undefined;
      if (!question) return say('unknown-metric', name);
      input = question.input(value as never);
      if (input === undefined) return say('wrong-type', name);
      const { law } = metrics[name] as MetricDocument;
      symbol = (question.randomizers[law.mechanism] as Randomize<unknown, unknown>)(law, input, coins);
    } catch {
      return say(input === undefined ? 'wrong-type' : 'no-entropy', name);
    }
    void after(opening, () => commit(name, symbol, asked));
  };

  const store = openStore(options.storage ?? webStorage(), `murmuration:${schema.app}`);
  const sender = createSender({
    state,
    isOpen,
    persist,
    uploadOf,
    transport: options.transport ?? fetchTransport,
    clock,
    uniform: coins.uniform,
    say,
  });
  const stopListening = (options.lifecycle ?? pageLifecycle)(sender.hidden);

  opening = after(store.read(), (read) => {
    const decided = state.consent; // by grant() or deny() since: outweighs what was stored
    stored = read?.consent;
    Object.assign(state, read);
    if (!read) {
      // What can't be read counts as spent: every metric waits as if it had been answered today.
      say('storage-reset');
      const day = advance();
      for (const name of Object.keys(metrics)) state.accounts[name] = { day, spent: [] };
    }
    opening = undefined;
    if (decided) decide(decided);
    if (state.outbox.length > 0) sender.schedule();
  });

  function decide(decision: 'granted' | 'denied'): void {
    state.consent = decision;
    if (decision === 'denied') {
      unsaved = [];
      state.outbox = [];
      sender.cancel();
    }
    if (!opening) void persist();
  }

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
        reports: batch.reports.map(([metric, report]) => ({
          metric,
          meaning: meaningOf(questions[metric]?.labels() ?? [], metrics[metric]?.law, report),
        })),
      }));
    },
    ledger: async () => {
      await opening;
      const today = advance();
      const spentBy = (name: string): number => sumOf(live(state.accounts[name], today, budget).map(({ epsilon }) => epsilon));
      const spent = sumOf(Object.keys(state.accounts).map(spentBy));
      return {
        budget,
        spent,
        left: Math.max(0, budget.epsilon - spent),
        today,
        metrics: Object.entries(metrics).map(([name, metric]) => ({
          metric: name,
          spent: spentBy(name),
          nextDay: nextDay(metric, state.accounts[name], today, budget),
        })),
      };
    },
    flush: async () => {
      await opening;
      await sender.flush();
    },
    close: async () => {
      await opening;
      await sender.flush();
      closed = true;
      sender.cancel();
      stopListening();
      store.close();
    },
  };
}
