/**
 * @module The inspector: a panel that shows a person what is asked, what would be sent, byte for byte and in words, what is
 * spent and what is left, and lets them turn it off. Plain elements in a shadow root, loaded when it is opened:
 * `const { openInspector } = await import('@murmuration/client/inspector')`.
 */

import { type Answer, DAYS, dayText, labelOf, type MetricDocument, type Schema, sumOf } from '@murmuration/shared';
import type { DeviceQuestions } from '../questions.ts';
import type { Telemetry } from '../types.ts';
import type { LedgerView, Preview } from '../view.ts';
import { createStyles } from './styles.ts';
import { english, type Words } from './words.ts';

export type { Words } from './words.ts';

/** What the inspector shows, and where. */
export interface InspectorOptions<M extends DeviceQuestions> {
  readonly telemetry: Telemetry<M>;
  readonly schema: Schema<M>;
  /** The element that the panel is appended to; the body when left out, or null as what was not found is. */
  readonly parent?: Element | null;
  /** Words that are not English. */
  readonly words?: Partial<Words>;
  /** Called once the panel is gone. */
  readonly onClose?: () => void;
}

/** An open inspector. */
export interface Inspector {
  /** Its host element, for the page's own style. */
  readonly element: HTMLElement;
  /** Reads telemetry again and shows it, as the panel itself does every second. */
  readonly refresh: () => Promise<void>;
  readonly close: () => void;
}

const EVERY = 1_000; // milliseconds between two looks

type Child = string | Node;

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: { readonly [name: string]: string },
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** ε to two decimals: rounded up where it is spent, so that nothing is shown as less than it is. */
const shown = (epsilon: number): string => String(Math.ceil(epsilon * 100 - 1e-9) / 100);

/** What a year of answering everything that this device is asked adds up to. */
const yearOf = ({ metrics, budget }: LedgerView): number =>
  Math.min(sumOf(metrics.map(({ year }) => year)), budget.epsilon * Math.ceil(DAYS.year / DAYS[budget.per]));

/** One question: what it is, what it costs, and when it can be answered. */
function questionRow(
  metric: MetricDocument,
  description: string,
  { spent, nextDay }: LedgerView['metrics'][number],
  today: number,
  words: Words,
): Child {
  const { epsilon, every, permanent, otherwise } = metric;
  const costs = words.question(shown(epsilon), every, shown(spent)) + (permanent ? words.permanent(shown(permanent.epsilon)) : '');
  const unanswered = otherwise === undefined ? [] : [element('p', { class: 'quiet' }, words.otherwise(labelOf(otherwise as Answer)))];
  const when = nextDay <= today ? words.open : nextDay - today >= DAYS.once / 2 ? words.never : words.again(dayText(nextDay));
  return element(
    'li',
    {},
    element('p', {}, description),
    element('p', { class: 'quiet' }, costs),
    ...unanswered,
    element('p', { class: 'quiet' }, when),
  );
}

/** One batch: its reports in words, its bytes, and the day that it waits for. */
function batchRows({ url, body, reports, day }: Preview, today: string, schema: Schema, words: Words, isOpen: boolean): readonly Child[] {
  const told = reports.map(({ metric, meaning }) =>
    element('li', {}, element('p', {}, schema.document.about[metric]?.description ?? metric), element('p', { class: 'quiet' }, meaning)),
  );
  const bytes = element('summary', {}, words.bytes(new Blob([body]).size, url));
  const details = element('details', isOpen ? { open: '' } : {}, bytes, element('pre', { tabindex: '0' }, body));
  const waits = day > today ? [element('p', { class: 'quiet' }, words.waits(day))] : [];
  return [element('ul', {}, ...told), ...waits, details];
}

/** Opens the panel. The page must have a body. */
export function openInspector<M extends DeviceQuestions>({
  telemetry,
  schema,
  parent,
  words: own,
  onClose,
}: InspectorOptions<M>): Inspector {
  const words: Words = { ...english, ...own };
  const { metrics, about, budget } = schema.document;
  const host = element('section', { 'aria-label': words.title, 'data-murmuration': 'inspector' });
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [createStyles()];

  const heading = element('h2', { tabindex: '-1' }, words.title);
  const closing = element('button', { type: 'button' }, words.close);
  const toggle = element('button', { type: 'button', role: 'switch', 'aria-label': words.share });
  const consent = element('p', { role: 'status' });
  const meter = element('progress', { max: String(budget.epsilon), 'aria-label': words.budget });
  const spending = element('p', {});
  const year = element('p', { class: 'quiet' });
  const questions = element('ul', {});
  const waiting = element('div', {});
  const forget = element('button', { type: 'button' }, words.forget);
  root.append(
    element('header', {}, heading, closing),
    element('p', { class: 'quiet' }, words.introduction),
    element('div', { class: 'choice' }, consent, toggle),
    element('h3', {}, words.budget),
    spending,
    meter,
    year,
    element('h3', {}, words.asked),
    questions,
    element('h3', {}, words.waiting),
    waiting,
    element('h3', {}, words.erasing),
    element('p', { class: 'quiet' }, words.tombstone),
    forget,
  );

  let last = '';
  const show = (ledger: LedgerView, batches: readonly Preview[]): void => {
    const { state } = telemetry.consent;
    // What did not change stays as it is: a person may be reading or selecting it.
    const now = JSON.stringify([state, ledger, batches]);
    if (now === last) return;
    last = now;
    const isOn = state === 'granted';
    toggle.setAttribute('aria-checked', String(isOn));
    toggle.textContent = isOn ? words.on : words.off;
    if (consent.textContent !== words[state]) consent.textContent = words[state];
    spending.textContent = words.spent(shown(ledger.spent), String(budget.epsilon), DAYS[budget.per]);
    meter.value = ledger.spent;
    year.textContent = words.year(shown(yearOf(ledger)));
    questions.replaceChildren(
      ...ledger.metrics.map((row) =>
        questionRow(metrics[row.metric] as MetricDocument, about[row.metric]?.description ?? row.metric, row, ledger.today, words),
      ),
    );
    const isUnfolded = waiting.querySelector('details')?.open ?? false;
    waiting.replaceChildren(
      ...(batches.length > 0
        ? batches.flatMap((batch) => batchRows(batch, dayText(ledger.today), schema as unknown as Schema, words, isUnfolded))
        : [element('p', { class: 'quiet' }, words.nothing)]),
    );
  };
  const refresh = async (): Promise<void> => show(await telemetry.ledger(), await telemetry.preview());

  const timer = setInterval(() => void refresh(), EVERY);
  const close = (): void => {
    clearInterval(timer);
    host.remove();
    onClose?.();
  };
  closing.addEventListener('click', close);
  host.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
  toggle.addEventListener('click', () => {
    if (telemetry.consent.state === 'granted') telemetry.consent.deny();
    else telemetry.consent.grant();
    void refresh();
  });
  forget.addEventListener('click', () => void telemetry.forget().then(refresh));
  (parent ?? document.body).append(host);
  void refresh();
  heading.focus();
  return { element: host, refresh, close };
}
