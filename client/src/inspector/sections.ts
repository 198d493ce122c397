/** The sections of the panel, each made from plain data. */

import { DAYS, dayText, type MetricDocument, type SchemaDocument, sumOf } from '@murmuration/shared';
import { type Child, element, paragraph, sentences } from '../components/dom.ts';
import type { Sent } from '../history.ts';
import type { State } from '../ledger/state.ts';
import type { Consent } from '../types.ts';
import type { LedgerView } from '../view.ts';
import { factorOf } from './chance.ts';

import type { Readable } from './readable.ts';
import type { Texts } from './texts.ts';

/** Everything that is shown. Unchanged parts are not rendered again, because a person may be reading them. */
export interface Shown {
  readonly consent: Consent['state'];
  readonly accounts: State['accounts'];
  /** True if the person has decided, rather than a default applying. */
  readonly isDecided: boolean;
  /** Metrics that the collector has retired for this schema. */
  readonly retired: readonly string[];
  readonly ledger: LedgerView;
  readonly batches: readonly Waiting[];
  /** Undefined if the app keeps no history. */
  readonly history: readonly Sent[] | undefined;
}

/** A batch that waits to be sent. */
export interface Waiting {
  readonly day: string;
  readonly url: string;
  readonly body: string;
  /** This device's segments. */
  readonly segment: { readonly [name: string]: string };
  readonly reports: readonly { readonly metric: string; readonly said: readonly string[] }[];
}

/** The texts and formats that the sections use. */
export interface Speech {
  readonly texts: Texts;
  readonly readable: Readable;
  readonly document: SchemaDocument;
}

/** ε to two decimals, rounded up for spent ε, so that no amount is shown as less than it is. */
const upwards = (epsilon: number): number => Math.max(0, Math.ceil(epsilon * 100 - 1e-9) / 100); // and never -0

const describe = ({ document }: Speech, metric: string): string => document.about[metric]?.description ?? metric;

/** The most ε that still leaves doubt: 2 in 100 answers to a yes-or-no question are changed then. */
const DOUBT = 4;

/** States what happens to answers, but nothing that is not true of every question. */
export function introduction({ texts, document }: Speech): string {
  const leavesDoubt = Object.values(document.metrics).every(({ epsilon, permanent }) => (permanent?.epsilon ?? epsilon) <= DOUBT);
  return sentences(texts.introduction, leavesDoubt ? texts.unsure : texts.nearlySure);
}

/** States what is sent unchanged: everything but the answers. */
export function clearText({ texts, readable, document: { segments = {}, reports } }: Speech): string {
  const groups = Object.entries(segments).map(([name, values]) => `${name} (${readable.either(values)})`);
  return sentences(texts.clear(readable.list(groups)), reports === 'together' && texts.batched);
}

/** True if anything is stored. */
export const isStored = ({ accounts, isDecided }: Pick<Shown, 'accounts' | 'isDecided'>): boolean =>
  isDecided || Object.keys(accounts).length > 0;

/** States what the switch means now and, because a refusal leaves something behind, what stays stored. */
export function consentText(speech: Speech, { consent, accounts, isDecided }: Shown): string {
  const { texts, readable } = speech;
  if (consent !== 'denied') return texts[consent];
  if (!isStored({ accounts, isDecided })) return sentences(texts.denied, texts.nothingStored);
  const kept = Object.keys(accounts).filter((metric) => accounts[metric]?.epoch);
  return sentences(
    texts.denied,
    Object.keys(accounts).length === 0 ? texts.decisionStored : texts.datesStored,
    kept.length > 0 && texts.answerStored(readable.list(kept.map((metric) => texts.quote(describe(speech, metric))))),
  );
}

/** When a question was answered, and when it is asked again. */
function whenText(
  { texts, readable, document }: Speech,
  { accounts, ledger, retired, batches }: Shown,
  row: LedgerView['metrics'][number],
): string {
  const { expires } = document.about[row.metric] ?? {};
  if (retired.includes(row.metric) || (expires !== undefined && expires < ledger.today)) return texts.ended;
  const account = accounts[row.metric];
  const next = row.nextDay === undefined ? undefined : readable.day(row.nextDay);
  if (row.nextDay === ledger.today) return '';
  const isWaiting = batches.some(({ reports }) => reports.some(({ metric }) => metric === row.metric));
  if (next !== undefined && account?.answered !== undefined) return isWaiting ? texts.due(next) : texts.notBefore(next);
  if (!account?.by) return next === undefined ? texts.ended : texts.notBefore(next);
  const answered = readable.day(dayText(account.day));
  return next === undefined ? texts.last(answered) : texts.again(answered, next);
}

/** A question: what it asks, when it is asked, and how likely a report differs from the person's answer. */
export function questionRow(speech: Speech, shown: Shown, row: LedgerView['metrics'][number]): readonly Child[] {
  const { texts, readable, document } = speech;
  const { every, otherwise } = document.metrics[row.metric] as MetricDocument;
  return [
    paragraph(describe(speech, row.metric), false),
    paragraph(sentences(texts.often[every], whenText(speech, shown, row)), false),
    paragraph(readable.chance(row.metric)),
    ...(otherwise === undefined ? [] : [paragraph(texts.otherwise(readable.answer(row.metric, otherwise)))]),
  ];
}

/** A report of a list, as it waits or as it was sent. */
interface Report {
  readonly metric: string;
  readonly said: readonly string[];
  readonly more?: number;
}

/** Reports in the order in which their questions are asked: what they say, and why that may not be the person's answer. */
function reportRows(speech: Speech, reports: readonly Report[]): Child {
  const { readable, document } = speech;
  const asked = Object.keys(document.metrics);
  const rows = reports.toSorted((one, other) => asked.indexOf(one.metric) - asked.indexOf(other.metric));
  return element(
    'ul',
    {},
    ...rows.map(({ metric, said, more }) =>
      element(
        'li',
        {},
        paragraph(describe(speech, metric), false),
        paragraph(readable.says(metric, said, more), false),
        paragraph(readable.why(metric)),
      ),
    ),
  );
}

/** The waiting reports, in words and byte for byte. */
export function waitingRows(speech: Speech, { batches, ledger }: Shown, isUnfolded: boolean): readonly Child[] {
  const { texts, readable } = speech;
  if (batches.length === 0) return [paragraph(texts.nothing)];
  return batches.flatMap(({ day, url, body, segment, reports }) => {
    const groups = Object.entries(segment).map(([name, value]) => `${name}: ${value}`);
    return [
      reportRows(speech, reports),
      ...(groups.length > 0 ? [paragraph(texts.segments(readable.list(groups)))] : []),
      ...(day > ledger.today ? [paragraph(texts.waits(readable.day(day)))] : []),
      element(
        'details',
        isUnfolded ? { open: '' } : {},
        element('summary', {}, texts.bytes(readable.number(new Blob([body]).size), url)),
        element('pre', { tabindex: '0' }, body),
      ),
    ];
  });
}

/** Rows of sent batches, latest first. */
export function sentRows(speech: Speech, { history, accounts }: Shown): readonly Child[] {
  const { texts, readable } = speech;
  if (history === undefined) return [paragraph(texts.noHistory)];
  if (history.length === 0) return [paragraph(Object.keys(accounts).length === 0 ? texts.nothingSent : texts.nothingListed)];
  return history.flatMap(({ day, reports }) => [element('p', { class: 'day' }, readable.day(day)), reportRows(speech, reports)]);
}

/** The figures for people who know ε. */
export function detailRows(speech: Speech, { ledger }: Shown): readonly Child[] {
  const { texts, readable, document } = speech;
  const { budget, spent, metrics } = ledger;
  const days = readable.number(DAYS[budget.per]);
  const year = Math.min(sumOf(metrics.map((row) => row.year)), budget.epsilon * Math.ceil(DAYS.year / DAYS[budget.per]));
  const meter = element('progress', { max: String(budget.epsilon), value: String(spent), 'aria-label': texts.budget });
  const rows = metrics.map(({ metric, spent: own }) => {
    const { epsilon, permanent } = document.metrics[metric] as MetricDocument;
    const costs = texts.question(readable.number(epsilon), readable.number(upwards(own)));
    const epoch = permanent ? texts.permanent(readable.number(permanent.epsilon)) : '';
    return element('li', {}, paragraph(describe(speech, metric), false), paragraph(costs + epoch));
  });
  return [
    paragraph(texts.epsilon),
    paragraph(texts.spent(readable.number(upwards(spent)), readable.number(budget.epsilon), days), false),
    meter,
    paragraph(texts.all(days, readable.number(factorOf(budget.epsilon)))),
    paragraph(texts.year(readable.number(upwards(year)))),
    element('ul', {}, ...rows),
  ];
}
