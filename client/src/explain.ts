/**
 * Console messages for developers while they write an app: what became of a record, and what to do about it. Each result of each metric is
 * explained once. No message contains a value. Like the checks, this file is not part of production bundles.
 */

import { DAYS, dayText, kindOf, type MetricDocument, type SchemaDocument } from '@murmuration/shared';
import { isPage, privacyControl } from './adapters/lifecycle.ts';
import type { Delivery } from './adapters/transport.ts';
import { nextDay } from './ledger/ledger.ts';
import type { State } from './ledger/state.ts';
import { isFinal } from './sender.ts';
import type { Outcome } from './types.ts';

/** The part of an app's options that is used here. */
export interface Explained {
  readonly schema: { readonly document: SchemaDocument };
  readonly debug?: boolean;
  readonly consent?: string;
  readonly upload?: string;
  readonly storage?: object;
  readonly sampleRate?: number;
}

/** The facts that a message may contain. */
interface Facts {
  readonly options: Explained;
  readonly metric: MetricDocument | undefined;
  readonly outcome: Outcome;
  readonly state: State;
  /** The first day on which the metric can be answered again, in words. */
  readonly next: string;
}

const RESET = 'While you develop, `await telemetry.reset()` makes this browser a new device.';

const ended = ({ options, outcome: { metric = '' } }: Facts): string => {
  const { expires } = options.schema.document.about[metric] ?? {};
  return expires === undefined
    ? 'The question is retired: the collector asks for it no more. Take it out of the schema.'
    : `The question is retired: it expired after ${expires}, or the collector asks for it no more. Take it out of the schema, or move \`expires\`.`;
};

const asked = ({ every }: MetricDocument): string =>
  ({ once: 'and is asked only once', day: 'today', week: 'this week', month: 'this month', year: 'this year' })[every];

/** A sentence or two for each result. */
const sentences: { readonly [R in Outcome['result']]: (facts: Facts) => string } = {
  recorded: ({ options: { upload }, metric }) =>
    upload === 'later' || metric?.otherwise !== undefined
      ? 'Recorded. The randomized answer is stored, and is sent on a later day.'
      : 'Recorded. The randomized answer is stored, and is sent in about five seconds.',
  begun: ({ next }) => `A slot has begun. The answer of \`otherwise\` waits, and the next \`record\` takes its place; ${next}.`,
  'already-answered': ({ metric, next }) => `Already answered ${metric ? asked(metric) : ''}; ${next}. ${RESET}`,
  'not-chosen': () => `Other devices answer this question: \`sampleRate\` or \`assign\` did not draw this one, and that stays so. ${RESET}`,
  'over-budget': () => `Another version of the schema has spent the budget of this window. Nothing is recorded before that ends. ${RESET}`,
  'no-consent': ({ state }) =>
    state.decision.value === 'denied'
      ? 'Not recorded, or erased before it was sent: the person has refused. Only `telemetry.consent.grant()`, called when they agree, changes that.'
      : privacyControl()
        ? 'Not recorded: this browser sends Global Privacy Control, which counts as a refusal until `telemetry.consent.grant()`.'
        : 'Not recorded: nobody has agreed yet. Ask while `telemetry.consent.state` is `ask`, and call `telemetry.consent.grant()` when the person agrees.',
  retired: ended,
  closed: () => 'Not recorded: `telemetry.close()` was called before. Create another telemetry.',
  'wrong-type': ({ metric }) =>
    `Not recorded: the value has the wrong type. Expected ${metric ? kindOf(metric).takes(metric) : 'another value'}.`,
  'unknown-metric': ({ options }) =>
    `Not recorded: the schema has no such metric. It has ${Object.keys(options.schema.document.metrics).join(', ')}.`,
  'no-entropy': () => 'Not recorded: there is no working `crypto.getRandomValues` here. Pass a cryptographic source as `rng`.',
  'storage-failed': ({ options }) =>
    options.storage
      ? 'Not recorded: the storage that you passed rejected or threw, so nothing was written, and nothing is sent.'
      : isPage()
        ? 'Not recorded: IndexedDB could not be written. The site’s data is blocked, the frame is sandboxed, or the disk is full.'
        : 'Not recorded: there is no IndexedDB here. Pass a `storage`: `fileStorage(folder)` in Node, `asyncStorage(AsyncStorage)` in React Native.',
  'storage-reset': () =>
    `What was stored could not be read, so the budget counts as spent today, and sharing needs another \`telemetry.consent.grant()\`. Another format or another program wrote it. ${RESET}`,
  delivered: () => 'Delivered: the collector has the report.',
  refused: ({ outcome: { reason } }) =>
    `The collector refused the batch for good${reason ? `: ${reason}` : ''}. What is spent stays spent. ${RESET}`,
  expired: () => 'Not sent: for 14 days it could not be delivered, or it could not be stored before another version of the schema came.',
  dropped: () => 'Not sent: the outbox was full, and this batch, the oldest, made room. Is the collector reachable?',
};

/** The messages already shown, by the options object that an app passes. */
const said = new WeakMap<object, Set<string>>();

/** The apps whose telemetry was created here, by the storage that they share. */
const created = new WeakMap<object, Set<string>>();
const DEFAULT_STORAGE = {};

/** Whether this is the first call with this name. */
function isFirst(all: WeakMap<object, Set<string>>, key: object, name: string): boolean {
  const known = all.get(key) ?? new Set();
  all.set(key, known);
  return known.size < known.add(name).size;
}

const isNode = (): boolean =>
  (globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } }).process?.versions?.node !== undefined;

/**
 * Whether to explain, as set by `debug`. The default is yes in pages, workers and React Native, and no in Node, where the messages would
 * reach the users of programs that were never built for production.
 */
const explains = ({ debug = !isNode() }: Explained): boolean => debug;

/** In Node `console.info` would mix with the program's standard output. */
function say(sentence: string): void {
  const { console } = globalThis; // some engines have no console
  console?.[isNode() ? 'warn' : 'info'](`murmuration: ${sentence}`);
}

/** Explains the response to a batch that will be sent again, once for each status. Such a batch has no outcome for up to 14 days. */
export function explainDelivery(options: Explained, delivery: PromiseLike<Delivery>): void {
  if (!explains(options)) return;
  const told = ({ status, reason }: Delivery): void => {
    if (isFinal(status) || !isFirst(said, options, `status ${status}`)) return;
    const answer = reason ? ` (${reason})` : '';
    if (status === 0)
      say(
        'Nobody answered the upload. Is the collector running at `endpoint`, and does it let this origin report? It is sent again later.',
      );
    else if (status === 404)
      say(
        `The collector answered 404${answer}. It does not know this schema: publish the schema there, or restart it with the schema as it is now. The batch is sent again later.`,
      );
    else if (status === 403)
      say(
        `The collector answered 403${answer}. It takes batches with a write key of this app, as \`key\`, and maybe only from some origins. The batch is sent again later.`,
      );
    else say(`The collector answered ${status}${answer}. The batch is sent again later.`);
  };
  Promise.resolve(delivery).then(told, () => told({ status: 0 }));
}

/** Explains an outcome, once for each metric and result. */
export function explain(options: Explained, outcome: Outcome, state: State): void {
  const { result, metric: name } = outcome;
  if (!explains(options) || !isFirst(said, options, `${result} ${name}`)) return;
  const { metrics, budget } = options.schema.document;
  const metric = name !== undefined && Object.hasOwn(metrics, name) ? metrics[name] : undefined;
  const day = metric && name !== undefined ? nextDay(metric, state.accounts[name], state.day, budget) : 0;
  const next = day > state.day && day < DAYS.never ? `the next slot opens on ${dayText(day)}` : 'no other slot opens';
  say(`${name === undefined ? '' : `${name}: `}${sentences[result]({ options, metric, outcome, state, next })}`);
}

/** Tells the developer how telemetry starts. */
export function announce(options: Explained): void {
  if (!explains(options)) return;
  const { app } = options.schema.document;
  if (options.consent === 'granted' && isFirst(said, options, 'granted'))
    say(
      '`consent: "granted"` records before anybody was asked. Leave it out, ask while `consent.state` is `ask`, and call `consent.grant()` when the person agrees.',
    );
  if (!isFirst(created, options.storage ?? DEFAULT_STORAGE, app) && isFirst(said, DEFAULT_STORAGE, app))
    say(
      `A telemetry of the app “${app}” was created here before. Both work, and share one budget, one consent and one outbox. Create it once, in a module of its own, or close the first; hot replacement creates another, too.`,
    );
}
