/**
 * @module The inspector: a panel that shows a person what is asked, what was sent, and how likely that differs from their own answer. It
 * also lets them turn telemetry off. It consists of plain elements in a shadow root and is loaded when it is opened: `const { openInspector
 * } = await import('@murmuration/client/inspector')`.
 */

import type { Schema } from '@murmuration/shared';
import { historyOf } from '../history.ts';
import { answerOf } from '../ledger/decision.ts';
import type { DeviceQuestions } from '../questions/question.ts';
import type { Telemetry } from '../types.ts';
import { type Look, ledger, preview, saidBy } from '../view.ts';
import { element, paragraph } from './elements.ts';
import { readableIn } from './readable.ts';
import { schemeAround } from './scheme.ts';
import {
  clearText,
  consentText,
  detailRows,
  introduction,
  isStored,
  questionRows,
  type Shown,
  type Speech,
  sentRows,
  type Waiting,
  waitingRows,
} from './sections.ts';
import { createStyles } from './styles.ts';
import { english, type Texts } from './texts.ts';

export type { Texts } from './texts.ts';

/** Options of the inspector: content and place. */
export interface InspectorOptions<M extends DeviceQuestions> {
  readonly telemetry: Telemetry<M>;
  readonly schema: Schema<M>;
  /** The element that the panel is appended to. The body is used if it is omitted, or null because an element was not found. */
  readonly parent?: Element | null;
  /** Translated texts. */
  readonly texts?: Partial<Texts>;
  /** Called once the panel is closed. */
  readonly onClose?: () => void;
}

/** An open inspector. */
export interface Inspector {
  /** Its host element, for the page's own style. */
  readonly element: HTMLElement;
  /** Reads the telemetry again and shows it, as the panel does every second. */
  readonly refresh: () => Promise<void>;
  readonly close: () => void;
}

const EVERY = 1_000; // milliseconds between two refreshes

/** Collects what a refresh shows. */
async function shownOf(telemetry: { look(): Promise<Look>; readonly consent: { readonly state: Shown['consent'] } }): Promise<Shown> {
  const look = await telemetry.look();
  const { state, schema } = look;
  const seen = { look: async () => look };
  const [view, previews] = [await ledger(seen), await preview(seen)];
  return {
    consent: telemetry.consent.state,
    accounts: state.accounts,
    isDecided: answerOf(state.decision) !== 0,
    retired: Object.keys(state.retired).filter((metric) => state.retired[metric] === schema.wire),
    ledger: view,
    batches: previews.map(({ day, url, body }, i): Waiting => {
      const reports = state.outbox[i]?.reports ?? [];
      return { day, url, body, reports: reports.map(([metric, bytes]) => ({ metric, said: saidBy(schema, metric, bytes) })) };
    }),
    history: historyOf(schema),
  };
}

/** Opens the panel. The page must have a body. */
export function openInspector<M extends DeviceQuestions>({
  telemetry,
  schema,
  parent,
  texts: own,
  onClose,
}: InspectorOptions<M>): Inspector {
  const texts: Texts = { ...english, ...own };
  const speech: Speech = { texts, readable: readableIn(texts, schema), document: schema.document };
  const host = element('section', { 'aria-label': texts.title, lang: texts.language, 'data-murmuration': 'inspector' });
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [createStyles()];

  const heading = element('h2', { tabindex: '-1' }, texts.title);
  const closing = element('button', { type: 'button', class: 'plain' }, texts.close);
  const toggle = element(
    'button',
    { type: 'button', role: 'switch', id: 'share', 'aria-checked': 'false', 'aria-describedby': 'state' },
    element('span', { class: 'track' }, element('span', { class: 'thumb' })),
  );
  const consent = element('p', { class: 'quiet', role: 'status', id: 'state' });
  const questions = element('ul', {});
  const waiting = element('div', {});
  const sent = element('div', {});
  const details = element('div', {});
  const erase = element('button', { type: 'button', class: 'danger' }, texts.erase);
  const eraseNow = element('button', { type: 'button', class: 'danger' }, texts.eraseNow);
  const cancel = element('button', { type: 'button' }, texts.cancel);
  const confirming = element(
    'div',
    { role: 'group', 'aria-labelledby': 'confirm', hidden: '' },
    element('p', { id: 'confirm' }, texts.confirm),
    element('div', { class: 'row' }, eraseNow, cancel),
  );
  const erasing = element('div', { hidden: '' }, element('h3', {}, texts.erasing), element('div', { class: 'erase' }, erase, confirming));
  root.append(
    element('header', {}, heading, closing),
    paragraph(introduction(speech), false),
    element('div', { class: 'choice' }, element('div', {}, element('label', { for: 'share' }, texts.share), toggle), consent),
    element('h3', {}, texts.asked),
    ...(speech.readable.common === undefined ? [] : [paragraph(speech.readable.common)]),
    questions,
    element('h3', {}, texts.waiting),
    paragraph(clearText(speech)),
    waiting,
    element('h3', {}, texts.sent),
    sent,
    element('details', { class: 'all' }, element('summary', {}, texts.details), details),
    erasing,
  );

  let last = '';
  const show = (shown: Shown): void => {
    host.setAttribute('data-scheme', schemeAround(parent ?? document.body));
    // Unchanged parts stay as they are, because a person may be reading or selecting them.
    const now = JSON.stringify(shown);
    if (now === last) return;
    last = now;
    toggle.setAttribute('aria-checked', String(shown.consent === 'granted'));
    toggle.disabled = shown.consent === 'unknown';
    const text = consentText(speech, shown);
    if (consent.textContent !== text) consent.textContent = text;
    const isUnfolded = waiting.querySelector('details')?.open ?? false;
    questions.replaceChildren(...questionRows(speech, shown));
    waiting.replaceChildren(...waitingRows(speech, shown, isUnfolded));
    sent.replaceChildren(...sentRows(speech, shown));
    details.replaceChildren(...detailRows(speech, shown));
    erasing.hidden = !isStored(shown);
  };
  const refresh = async (): Promise<void> => show(await shownOf(telemetry));
  const ask = (isAsking: boolean): void => {
    confirming.hidden = !isAsking;
    erase.hidden = isAsking;
    (isAsking ? cancel : erase).focus();
  };

  const timer = setInterval(() => void refresh(), EVERY);
  const stop = telemetry.consent.subscribe(() => void refresh());
  const close = (): void => {
    clearInterval(timer);
    stop();
    host.remove();
    onClose?.();
  };
  closing.addEventListener('click', close);
  host.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    if (confirming.hidden) close();
    else ask(false);
  });
  toggle.addEventListener('click', () => {
    if (telemetry.consent.state === 'granted') telemetry.consent.deny();
    else telemetry.consent.grant();
    void refresh();
  });
  erase.addEventListener('click', () => ask(true));
  cancel.addEventListener('click', () => ask(false));
  eraseNow.addEventListener('click', () => {
    void telemetry.forget().then(refresh);
    ask(false);
  });
  host.setAttribute('data-scheme', schemeAround(parent ?? document.body));
  consent.textContent = texts.unknown;
  waiting.append(paragraph(texts.unknown));
  toggle.disabled = true;
  (parent ?? document.body).append(host);
  void refresh();
  heading.focus();
  return { element: host, refresh, close };
}
