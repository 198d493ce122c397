/**
 * @module The inspector, as the custom element `<murmuration-inspector>`: it shows a person what is asked, what was sent, and how likely that
 * differs from their own answer. It also lets them turn telemetry off, and try what would have been sent. It is loaded when it is opened:
 * `const { openInspector } = await import('@murmuration/client/inspector')`.
 */

import { button, element, paragraph } from '../components/dom.ts';
import { type Shown as Part, place, register } from '../components/element.ts';
import { INSPECTOR, type InspectorOptions } from '../components/inspector.ts';
import { colour } from '../components/theme.ts';
import { historyOf } from '../history.ts';
import { answerOf } from '../ledger/decision.ts';
import { ledger, preview, saidBy } from '../view.ts';
import { readableIn } from './readable.ts';
import {
  clearText,
  consentText,
  detailRows,
  introduction,
  isStored,
  questionRow,
  type Shown,
  type Speech,
  sentRows,
  type Waiting,
  waitingRows,
} from './sections.ts';
import { CSS } from './styles.ts';
import { english, type Texts } from './texts.ts';
import { trialForm } from './trial-form.ts';

export type { Inspected, InspectorOptions } from '../components/inspector.ts';
export type { Texts } from './texts.ts';

/** An open inspector. */
export interface Inspector {
  /** Its element, for the page's own style. */
  readonly element: HTMLElement;
  readonly close: () => void;
}

const EVERY = 1_000; // milliseconds between two refreshes

/** Collects what a refresh shows. */
async function shownOf(telemetry: InspectorOptions['telemetry']): Promise<Shown> {
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
      const { reports = [], segment = {} } = state.outbox[i] ?? {};
      return { day, url, body, segment, reports: reports.map(([metric, bytes]) => ({ metric, said: saidBy(schema, metric, bytes) })) };
    }),
    history: historyOf(schema),
  };
}

/** The element that has the focus, also in shadow roots. */
function focused(): HTMLElement | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active as HTMLElement | null;
}

/** Shows the panel. A panel that can be closed was opened by somebody, so it takes the focus, and gives it back. */
function inspect(root: ShadowRoot, options: InspectorOptions): Part {
  const { schema, onClose } = options;
  const texts: Texts = { ...english, ...options.texts };
  const speech: Speech = { texts, readable: readableIn(texts, schema), document: schema.document };

  const heading = element('h2', { tabindex: '-1' }, texts.title);
  const closing = button(texts.close, { class: 'plain' });
  const toggle = element(
    'button',
    { type: 'button', role: 'switch', id: 'share', 'aria-checked': 'false', 'aria-describedby': 'state' },
    element('span', { class: 'track' }, element('span', { class: 'thumb' })),
  );
  const consent = element('p', { class: 'quiet', role: 'status', id: 'state' });
  /** The part of each question that changes. The rest stays, because a person may be trying an answer. */
  const rows = Object.keys(schema.document.metrics).map((metric) => ({ metric, row: element('div', {}) }));
  const waiting = element('div', {});
  const sent = element('div', {});
  const details = element('div', {});
  const erase = button(texts.erase, { class: 'danger' });
  const eraseNow = button(texts.eraseNow, { class: 'danger' });
  const cancel = button(texts.cancel);
  const confirming = element(
    'div',
    { role: 'group', 'aria-labelledby': 'confirm', hidden: '' },
    element('p', { id: 'confirm' }, texts.confirm),
    element('div', { class: 'row' }, eraseNow, cancel),
  );
  const erasing = element('div', { hidden: '' }, element('h3', {}, texts.erasing), element('div', { class: 'erase' }, erase, confirming));
  const panel = element(
    'section',
    { 'aria-label': texts.title, lang: texts.language },
    element('header', {}, heading, ...(onClose ? [closing] : [])),
    paragraph(introduction(speech), false),
    element('div', { class: 'choice' }, element('div', {}, element('label', { for: 'share' }, texts.share), toggle), consent),
    element('h3', {}, texts.asked),
    ...(speech.readable.common === undefined ? [] : [paragraph(speech.readable.common)]),
    element('ul', {}, ...rows.map(({ metric, row }) => element('li', {}, row, trialForm(speech, schema, metric)))),
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
    colour(panel, root);
    // Unchanged parts stay as they are, because a person may be reading or selecting them.
    const now = JSON.stringify(shown);
    if (now === last) return;
    last = now;
    toggle.setAttribute('aria-checked', String(shown.consent === 'granted'));
    toggle.disabled = shown.consent === 'unknown';
    const text = consentText(speech, shown);
    if (consent.textContent !== text) consent.textContent = text;
    const isUnfolded = waiting.querySelector('details')?.open ?? false;
    for (const [i, { row }] of rows.entries()) {
      const view = shown.ledger.metrics[i];
      if (view) row.replaceChildren(...questionRow(speech, shown, view));
    }
    waiting.replaceChildren(...waitingRows(speech, shown, isUnfolded));
    sent.replaceChildren(...sentRows(speech, shown));
    details.replaceChildren(...detailRows(speech, shown));
    erasing.hidden = !isStored(shown);
  };
  const update = async (): Promise<void> => show(await shownOf(options.telemetry));
  const ask = (isAsking: boolean): void => {
    confirming.hidden = !isAsking;
    erase.hidden = isAsking;
    (isAsking ? cancel : erase).focus();
  };
  const opener = focused();
  const close = (): void => {
    opener?.focus();
    options.onClose?.();
  };
  closing.addEventListener('click', close);
  panel.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    if (!confirming.hidden) ask(false);
    else if (onClose) close();
  });
  toggle.addEventListener('click', () => {
    const { consent } = options.telemetry;
    if (consent.state === 'granted') consent.deny();
    else consent.grant();
    void update();
  });
  erase.addEventListener('click', () => ask(true));
  cancel.addEventListener('click', () => ask(false));
  eraseNow.addEventListener('click', () => {
    void options.telemetry.forget().then(update);
    ask(false);
  });

  colour(panel, root);
  consent.textContent = texts.unknown;
  waiting.append(paragraph(texts.unknown));
  toggle.disabled = true;
  root.append(panel);
  const timer = setInterval(() => void update(), EVERY);
  const stop = options.telemetry.consent.subscribe(() => void update());
  void update();
  if (onClose) heading.focus();
  return {
    update,
    end: () => {
      clearInterval(timer);
      stop();
    },
  };
}

/** Registers `<murmuration-inspector>`, for pages that write it into their markup and set its properties. */
export const defineInspector = (): void => register(INSPECTOR, CSS, inspect);

/**
 * Opens the panel. The page must have a body.
 *
 * @param parent the element that the panel is appended to; the body if it is omitted, or null because an element was not found
 */
export function openInspector({ parent, onClose, ...options }: InspectorOptions & { readonly parent?: Element | null }): Inspector {
  defineInspector();
  const close = (): void => {
    host.remove();
    onClose?.();
  };
  const host = place(INSPECTOR, { ...options, onClose: close }, parent);
  return { element: host, close };
}
