/**
 * `createTelemetry`: randomizes on the device, at once; stores only what is randomized; claims slots before it sends.
 * A reviewer reads `record` and `commit` here, with random/, randomizers/ and ledger/.
 */

import { dayNumber, fromBase64url, type MetricDocument, type Segments, sumOf, toBase64url, wireName } from '@murmuration/shared';
import { pageLifecycle, systemClock } from './adapters/lifecycle.ts';
import { webStorage } from './adapters/storage.ts';
import { fetchTransport, type Upload } from './adapters/transport.ts';
import { claim, keptSymbol, live, nextDay, slotOf } from './ledger/ledger.ts';
import { advance, openStore, type State, type Waiting } from './ledger/state.ts';
import { after, type Maybe } from './maybe.ts';
import { addReport, takeBack } from './outbox.ts';
import type { DeviceQuestions } from './questions.ts';
import { createCoins, systemRng, words } from './random/coins.ts';
import type { Randomize, Respond } from './randomizers/randomizer.ts';
import { createSender } from './sender.ts';
import type { Consent, Options, Outcome, Telemetry } from './types.ts';
import { meaningOf } from './view.ts';

/** A randomized answer on its way to the ledger. The value itself is gone. */
interface Draft {
  readonly metric: string;
  readonly symbol: Uint8Array;
  readonly consent: Consent['state'];
}

/** Whether the browser says that this person does not want to be measured (Global Privacy Control). */
const privacyControl = (): boolean =>
  (globalThis.navigator as { readonly globalPrivacyControl?: boolean } | undefined)?.globalPrivacyControl === true;

function checkSegment(segments: Segments, segment: { readonly [name: string]: string } = {}): void {
  for (const name of new Set([...Object.keys(segments), ...Object.keys(segment)])) {
    const [values, value] = [segments[name] ?? [], segment[name]];
    if (value === undefined || !values.includes(value)) {
      throw new RangeError(`segment.${name}: expected ${values.length > 0 ? `one of ${values.join(', ')}` : 'nothing'}, got ${value}`);
    }
  }
}

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
  const { document: schema, questions } = options.schema;
  const { budget, metrics } = schema;
  if (typeof endpoint !== 'string' || endpoint === '') throw new RangeError(`endpoint: expected an address, got ${String(endpoint)}`);
  checkSegment(schema.segments ?? {}, segment);

  const word = words(options.rng ?? systemRng);
  const coins = createCoins(word);

  let state: State | undefined; // undefined until the storage has answered
  let closed = false;
  let consent: Consent['state'] = options.consent === 'granted' && privacyControl() ? 'denied' : (options.consent ?? 'ask');
  let decided = false; // by grant() or deny(), which outweigh what was stored
  const drafts = new Map<string, Draft>(); // recorded while the storage was read: at most one a metric
  let unsaved: { readonly metric: string; readonly waiting: Waiting }[] = [];
  let schemaName: string | undefined;

  const say = (result: Outcome['result'], metric?: string): void => {
    try {
      onOutcome?.(metric === undefined ? { result } : { metric, result });
    } catch {
      // A mistake in an app's own listener must not reach its page.
    }
  };

  /** Writes the state. Reports whose claim could not be written are taken back: they may not be sent. */
  const persist = (): Maybe<unknown> => {
    const written = unsaved;
    unsaved = [];
    if (state === undefined) return;
    const held = state;
    return after(store.save(held), (ok) => {
      for (const { metric, waiting } of written) {
        if (!ok) takeBack(held, waiting, metric);
        say(ok ? 'recorded' : 'storage-failed', metric);
      }
    });
  };

  const url = `${endpoint.replace(/\/$/, '')}/v1/reports${key === undefined ? '' : `?key=${encodeURIComponent(key)}`}`;
  const uploadOf = ({ batch }: Waiting): Upload => ({ url, body: JSON.stringify(batch) });
  const sender = createSender({
    sendable: () => {
      if (state === undefined || consent !== 'granted' || closed) return undefined;
      advance(state, dayNumber(clock.now()));
      return state;
    },
    persist,
    uploadOf,
    transport: options.transport ?? fetchTransport,
    clock,
    jitter: (n) => {
      try {
        return coins.uniform(n);
      } catch {
        return n; // without entropy there is nothing of ours to send, but a retry may still be due
      }
    },
    say,
  });

  /** From a randomized answer to a report in the outbox, if its slot is free. No value is known here. */
  const commit = ({ metric: name, symbol }: Draft, held: State): void => {
    const metric = metrics[name] as MetricDocument;
    const account = held.accounts[name];
    const today = advance(held, dayNumber(clock.now()));
    const slot = slotOf(name, metric, held.accounts, today, budget);
    if (slot !== 'free') return say(slot, name);
    try {
      const kept = keptSymbol(metric, account, today) ?? toBase64url(symbol);
      const respond = questions[name]?.responders?.[metric.law.mechanism] as Respond<unknown> | undefined;
      const report = respond === undefined ? kept : toBase64url(respond(metric.law, fromBase64url(kept), coins));
      schemaName ??= wireName(schema);
      const batchId = (): string => [word(), word(), word(), word()].map((part) => part.toString(16).padStart(8, '0')).join('');
      const waiting = addReport(held, { schema: schemaName, ...(segment && { segment }) }, [name, report], batchId, coins.uniform);
      held.accounts[name] = claim(metric, account, kept, today, budget);
      if (unsaved.push({ metric: name, waiting }) === 1) queueMicrotask(() => unsaved.length > 0 && persist());
    } catch {
      return say('no-entropy', name);
    }
    sender.schedule();
  };

  const record = (name: string, value: unknown): void => {
    const question = Object.hasOwn(questions, name) ? questions[name] : undefined;
    if (question === undefined) return say('unknown-metric', name);
    if (closed || consent === 'denied' || (consent === 'ask' && state !== undefined)) return say('no-consent', name);
    let symbol: Uint8Array;
    try {
      const input = question.input(value as never);
      if (input === undefined) return say('wrong-type', name);
      const { law } = metrics[name] as MetricDocument;
      symbol = (question.randomizers[law.mechanism] as Randomize<unknown, unknown>)(law, input, coins);
    } catch {
      return say('no-entropy', name);
    }
    const draft: Draft = { metric: name, symbol, consent };
    if (state !== undefined) return commit(draft, state);
    if (drafts.has(name)) return say('already-answered', name);
    drafts.set(name, draft);
  };

  /** A ledger that can't be read counts as spent: every metric waits as if it had been answered today. */
  const spent = (): State => {
    say('storage-reset');
    const day = dayNumber(clock.now());
    return { day, accounts: Object.fromEntries(Object.keys(metrics).map((name) => [name, { day, spent: [] }])), outbox: [] };
  };

  const store = openStore(options.storage ?? webStorage(), `murmuration:${schema.app}`, (read) => {
    const opened = read ?? spent();
    const before = opened.consent ?? consent; // what held when a draft was recorded without a decision
    if (!decided) consent = before;
    else if (consent !== 'ask') opened.consent = consent;
    if (consent === 'denied') opened.outbox = [];
    state = opened;
    for (const draft of drafts.values()) {
      const allowed = (draft.consent === 'ask' ? before : draft.consent) === 'granted' && consent === 'granted';
      if (allowed) commit(draft, opened);
      else say('no-consent', draft.metric);
    }
    drafts.clear();
    if (decided) void persist();
    if (opened.outbox.length > 0) sender.schedule();
  });
  const stopListening = (options.lifecycle ?? pageLifecycle)(sender.hidden);

  const decide = (decision: 'granted' | 'denied'): void => {
    consent = decision;
    decided = true;
    if (decision === 'denied') {
      drafts.clear();
      unsaved = [];
      sender.cancel();
      if (state !== undefined) state.outbox = [];
    }
    if (state === undefined) return;
    state.consent = decision;
    void persist();
  };

  return {
    record,
    consent: {
      get state() {
        return consent;
      },
      grant: () => decide('granted'),
      deny: () => decide('denied'),
    },
    preview: async () => {
      await store.opened;
      return (state?.outbox ?? []).map((waiting) => ({
        ...uploadOf(waiting),
        reports: waiting.batch.reports.map(([name, report]) => ({
          metric: name,
          meaning: waiting.batch.schema === schemaName ? meaningOf(metrics[name] as MetricDocument, report) : 'a report of an earlier version',
        })),
      }));
    },
    ledger: async () => {
      await store.opened;
      const { accounts = {}, day = 0 } = state ?? {};
      const today = Math.max(day, dayNumber(clock.now()));
      const spentOn = (name: string): number => sumOf(live(accounts[name], today, budget).map(({ epsilon }) => epsilon));
      const spent = sumOf(Object.keys(accounts).map(spentOn));
      return {
        per: budget.per,
        budget: budget.epsilon,
        spent,
        left: Math.max(0, budget.epsilon - spent),
        today,
        metrics: Object.entries(metrics).map(([name, metric]) => ({
          metric: name,
          spent: spentOn(name),
          nextDay: nextDay(metric, accounts[name], today, budget),
        })),
      };
    },
    flush: async () => {
      await store.opened;
      await sender.flush();
    },
    close: async () => {
      if (!closed) {
        await sender.flush();
        closed = true;
        sender.cancel();
        stopListening();
        store.close();
      }
    },
  };
}
