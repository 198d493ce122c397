/**
 * Console messages for developers while they write an app: what became of a record, and what to do about it. Each result of each metric is
 * explained once. No message contains a value. Like the checks, this file is not part of production bundles.
 */

import {
  DAYS,
  dayText,
  kindOf,
  LARGE_EPSILON,
  type MetricDocument,
  refusalIn,
  type SchemaDocument,
  sumOf,
  timesIn,
} from '@murmuration/shared';
import { isPage, privacyControl } from './adapters/lifecycle.ts';
import type { Delivery } from './adapters/transport.ts';
import { answerOf, DENIED } from './ledger/decision.ts';
import { nextDay } from './ledger/ledger.ts';
import type { State } from './ledger/state.ts';
import { TOO_EARLY } from './limits.ts';
import { attempt } from './maybe.ts';
import type { ResolvedQuestions } from './questions/question.ts';
import { settlementOf } from './settlement.ts';
import { watchUpload } from './silence.ts';
import type { Outcome } from './types.ts';

/** The part of an app's options that is used here. */
export interface Explained {
  readonly schema: { readonly document: SchemaDocument; readonly questions: ResolvedQuestions };
  readonly debug?: boolean;
  readonly consent?: string;
  readonly upload?: string;
  readonly storage?: object;
  readonly sampleRate?: number;
  readonly endpoint: string;
  readonly transport?: unknown;
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
  recorded: ({ options: { upload, schema }, metric }) =>
    upload === 'later' || metric?.otherwise !== undefined
      ? 'Recorded. The randomized answer is stored, and is sent on a later day.'
      : schema.document.relay
        ? `Recorded. The randomized answer is stored, and leaves through the relay at a moment of its own in the day after this one. ${RESET}`
        : schema.document.reports === 'alone'
          ? `Recorded. The randomized answer is stored, and is sent alone: one report in about five seconds, the next ones hours later or at other visits. ${RESET}`
          : 'Recorded. The randomized answer is stored, and is sent in about five seconds.',
  begun: ({ next }) => `A slot has begun. The answer of \`otherwise\` waits, and the next \`record\` takes its place; ${next}.`,
  'already-answered': ({ metric, next }) => `Already answered ${metric ? asked(metric) : ''}; ${next}. ${RESET}`,
  'not-chosen': () => `Other devices answer this question: \`sampleRate\` or \`assign\` did not draw this one, and that stays so. ${RESET}`,
  'over-budget': () => `Another version of the schema has spent the budget of this window. Nothing is recorded before that ends. ${RESET}`,
  'no-consent': ({ state }) =>
    answerOf(state.decision) === DENIED
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
  'third-party': () =>
    'Not recorded: a page of another origin frames this one, and each site that does would have a budget of its own. If that is meant, pass `partitioned: true`.',
  'storage-reset': () =>
    `What was stored could not be read, or was deleted while \`localStorage\` stayed. The budget counts as spent, and sharing needs another \`telemetry.consent.grant()\`. Another format or program wrote it, or something deleted the database. ${RESET}`,
  delivered: () => 'Delivered: the collector has the report.',
  refused: ({ outcome: { reason } }) =>
    `The collector refused the batch for good${reason ? `: ${reason.trim()}` : ''}. What is spent stays spent. ${RESET}`,
  expired: () =>
    'Not sent: for 14 days it could not be delivered, or it could not be stored before another version of the schema came, or the clock gives no day.',
  dropped: () => 'Not sent: the outbox was full, and this batch, the oldest, made room. Is the collector reachable?',
};

/** The messages already shown, by the options object that an app passes. */
const said = new WeakMap<object, Set<string>>();

/** The apps whose telemetry was created here, by the storage that they share. */
const created = new WeakMap<object, Set<string>>();
const DEFAULT_STORAGE = {};

/** True if this is the first call with this name. */
function isFirst(all: WeakMap<object, Set<string>>, key: object, name: string): boolean {
  const known = all.get(key) ?? new Set();
  all.set(key, known);
  return known.size < known.add(name).size;
}

const isNode = (): boolean =>
  (globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } }).process?.versions?.node !== undefined;

/**
 * True if refusals are explained, as set by `debug`. The default is yes in pages, workers and React Native, and no in Node, where the messages would
 * reach the users of programs that were never built for production.
 */
const explains = ({ debug = !isNode() }: Explained): boolean => debug;

/** Says what a developer must fix as a warning. In Node the rest is one too, because `console.info` would mix with a program's output. */
function say(sentence: string, isToFix = true): void {
  const { console } = globalThis; // some engines have no console
  console?.[isToFix || isNode() ? 'warn' : 'info'](`murmuration: ${sentence}`);
}

/** Remedies for refusals that last until somebody acts. */
const remedies: { readonly [code: string]: string } = {
  'unknown-schema': 'It does not know this schema: publish the schema there, or restart it with the schema as it is now.',
  'unknown-key': 'It takes batches with a write key of this app, as `key`.',
  'past-relay': 'The schema says `relay`: pass `relayTransport` of `@murmuration/client/relay` as `transport`.',
  'bad-token':
    'It takes reports of this app with a token: pass `tokens: slotTokens(...)` of `@murmuration/client/tokens` to `relayTransport`, with the `key` that `murmuration relay tokens` prints for this app.',
  'bad-origin': 'It takes batches from other origins only: `murmuration serve --origin` says which.',
  'bad-request': 'A proxy before it may speak HTTP/1.0, or drop the Host.',
};

/** The statuses of a proxy whose collector is away or busy. */
const isBusy = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/** Explains why `createLazyTelemetry` gets no telemetry, or one of another app. */
export async function explainLoading(
  app: string,
  loading: PromiseLike<{ readonly telemetry?: { look(): PromiseLike<{ readonly schema: Pick<Explained['schema'], 'document'> }> } }>,
): Promise<void> {
  try {
    const { telemetry } = await loading;
    if (!telemetry) return say('`createLazyTelemetry` expects a module that exports `telemetry`, as `createTelemetry` returns it.');
    const { document } = (await telemetry.look()).schema;
    if (document.app !== app)
      say(`\`createLazyTelemetry\` expects the schema's app, '${document.app}', and got '${app}': people would be asked at every visit.`);
  } catch (error) {
    say(`The module of \`createLazyTelemetry\` did not load, and the next grant or record tries again: ${error}`);
  }
}

/** Explains the response to a batch that will be sent again, once for each kind. Such a batch has no outcome for up to 14 days. */
export function explainDelivery(options: Explained, delivery: PromiseLike<Delivery>): void {
  if (!explains(options)) return;
  const watched = attempt(() => watchUpload(options));
  const address = attempt(() => new URL(options.endpoint, globalThis.location?.href).href) ?? options.endpoint;
  const again = (why: string): void =>
    say(`${why.trim()} The batch is kept, and sent again later. \`npx @murmuration/client doctor ${address}\` examines the collector.`);
  const told = (delivered?: Delivery): void => {
    const answer = delivered ?? { status: 0 }; // an app's own transport may resolve with nothing
    const { status, body } = answer;
    const code = refusalIn(answer);
    const isKnown = settlementOf(answer) || status === TOO_EARLY || !isFirst(said, options, `status ${status} ${code}`);
    if (status === 0 && !isKnown && watched) return void watched.unanswered().then(again);
    watched?.answered();
    if (isKnown) return;
    const why =
      status === 0
        ? options.schema.document.relay
          ? 'Nobody answered the upload. Do the relay and the issuer of tokens run, and does their answer let this origin read it?'
          : 'Nobody answered the upload. Is the collector running at `endpoint`, and does it let this origin report?'
        : code !== undefined
          ? `The collector answered ${status} (${body?.trim()}). ${remedies[code] ?? ''}`
          : isBusy(status)
            ? `The server answered ${status}. The collector may be overloaded, or not run behind its proxy.`
            : options.schema.document.relay
              ? `The relay, or the issuer of tokens, answers ${status}. Nothing was delivered: only what the collector has sealed means that.`
              : `\`endpoint\` answers ${status}, but is no collector, or a proxy before the collector answered. Nothing was delivered: only 204 means that.`;
    again(why);
  };
  Promise.resolve(delivery).then(told, () => told());
}

/** Outcomes of a normal life. A developer must fix the causes of all others. */
const NORMAL: readonly Outcome['result'][] = [
  'recorded',
  'begun',
  'delivered',
  'already-answered',
  'not-chosen',
  'over-budget',
  'no-consent',
];

/** Explains an outcome, once for each metric and result. */
export function explain(options: Explained, outcome: Outcome, state: State): void {
  const { result, metric: name } = outcome;
  if (!explains(options) || !isFirst(said, options, `${result} ${name}`)) return;
  const { document, questions } = options.schema;
  const { metrics, budget } = document;
  const metric = name !== undefined && Object.hasOwn(metrics, name) ? metrics[name] : undefined;
  const day = metric && name !== undefined ? nextDay(metric, state.accounts[name], state.day, budget, questions[name]?.epochs) : 0;
  const next = day > state.day && day < DAYS.never ? `the next slot opens on ${dayText(day)}` : 'no other slot opens';
  const sentence = sentences[result]({ options, metric, outcome, state, next });
  say(`${name === undefined ? '' : `${name}: `}${sentence}`, !NORMAL.includes(result));
}

/** Tells the developer how telemetry starts. */
export function announce(options: Explained): void {
  if (!explains(options)) return;
  const { app, metrics, budget } = options.schema.document;
  const large = Object.keys(metrics).filter((name) => (metrics[name]?.epsilon ?? 0) > LARGE_EPSILON.report);
  const monthly = Math.min(
    sumOf(Object.values(metrics).map((metric) => (metric.permanent ?? metric).epsilon * timesIn(metric, DAYS.month, budget.per))),
    budget.epsilon * Math.ceil(DAYS.month / DAYS[budget.per]),
  );
  if ((large.length > 0 || monthly > LARGE_EPSILON.month) && isFirst(said, options, 'large'))
    say(
      large.length > 0
        ? `${large.join(', ')}: ε is above ${LARGE_EPSILON.report}, so a report nearly always says the truth. Ask with a smaller \`epsilon\`.`
        : `The questions spend ε ${monthly} in 30 days, above ${LARGE_EPSILON.month}: reports that are linked hide little. Ask less, or less often.`,
    );
  if (options.consent === 'granted' && isFirst(said, options, 'granted'))
    say(
      '`consent: "granted"` records before anybody was asked. Leave it out, ask while `consent.state` is `ask`, and call `consent.grant()` when the person agrees.',
    );
  if (!isFirst(created, options.storage ?? DEFAULT_STORAGE, app) && isFirst(said, DEFAULT_STORAGE, app))
    say(
      `A telemetry of the app “${app}” was created here before. Both work, and share one budget, one consent and one outbox. Create it once, in a module of its own, or close the first; hot replacement creates another, too.`,
    );
}
