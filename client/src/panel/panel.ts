/** The panel itself, in a closed shadow root, so that neither the page's style nor a recorder of sessions reaches into it. */

import { button, type Child, element, paragraph } from '../components/dom.ts';
import { colour } from '../components/theme.ts';
import { ledger, preview } from '../view.ts';
import type { Watched, Watching } from '../watch.ts';
import { watchPage } from '../watch.ts';
import { questionRows, recordRows, stateText, waitingRows } from './rows.ts';
import { CSS } from './styles.ts';

const EVERY = 1_000; // milliseconds between two refreshes
const SOON = 50; // milliseconds from a change to a refresh

/** The part of the panel that shows one telemetry. */
interface View {
  readonly element: HTMLElement;
  readonly update: () => Promise<void>;
}

function table(name: string, columns: readonly string[], body: HTMLElement): HTMLElement {
  const heads = columns.map((column) => element('th', { scope: 'col' }, column));
  return element('table', {}, element('caption', {}, name), element('thead', {}, element('tr', {}, ...heads)), body);
}

/** Fills an element if its text changes. Otherwise it stays as it is, because somebody may be reading or selecting it. */
function refill(target: HTMLElement, ...children: readonly Child[]): void {
  const next = element('div', {}, ...children);
  if (next.textContent !== target.textContent) target.replaceChildren(...next.childNodes);
}

function viewOf({ schema, telemetry, entries }: Watched, { truthOf }: Watching): View {
  const { app, version } = schema.document;
  const state = element('p', {});
  const meter = element('progress', { 'aria-label': 'Spent of the budget' });
  const questions = element('tbody', {});
  const records = element('tbody', {});
  const waiting = element('div', {});
  const send = button('Send now');
  const reset = button('New device', { class: 'danger' });
  const update = async (): Promise<void> => {
    const look = await telemetry.look();
    const seen = { look: async () => look };
    const [view, batches] = [await ledger(seen), await preview(seen)];
    meter.max = view.budget.epsilon;
    meter.value = view.spent;
    refill(state, stateText(telemetry.consent.state, view));
    refill(questions, ...questionRows(schema.document, view));
    refill(records, ...recordRows(schema.document, entries, truthOf));
    refill(waiting, ...waitingRows(batches, waiting.querySelector('details')?.open ?? false));
  };
  send.addEventListener('click', () => void telemetry.flush().then(update));
  reset.addEventListener('click', async () => {
    await telemetry.reset?.();
    entries.splice(0);
    await update();
  });
  const parts = [
    element('h3', {}, `${app}, version ${version}`),
    state,
    meter,
    table('Records of this page, the latest first', ['Question', 'True answer', 'Randomized, it says', 'Outcome'], records),
    table('Questions', ['Question', 'ε a report', 'ε spent', 'Slot'], questions),
    waiting,
    element('div', { class: 'row' }, send, ...(telemetry.reset ? [reset] : [])),
    paragraph('A new device forgets everything that is stored here: the ledger, the decision, and reports that wait.'),
  ];
  return { element: element('article', { 'aria-label': app }, ...parts), update };
}

/** Opens the panel at the end of the page. Returns a function that closes it. */
export function openPanel(page: string | undefined, takesFocus: boolean, onClose: () => void): () => void {
  const host = element('murmuration-panel' as 'div', { popover: 'manual' });
  const root = host.attachShadow({ mode: 'closed' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  root.adoptedStyleSheets = [sheet];
  const heading = element('h2', { tabindex: '-1' }, 'Murmuration, in development');
  const closing = button('Close', { class: 'plain' });
  const none = paragraph('No telemetry has started in this page. `createTelemetry` starts one.', false);
  const list = element('div', {});
  const link = element('a', { href: page ?? '', target: '_blank' }, '10,000 users like this');
  const panel = element(
    'section',
    { 'aria-label': 'Murmuration, in development', lang: 'en', dir: 'ltr' },
    element('header', {}, heading, closing),
    paragraph('True answers are shown here alone. They are never stored or sent, and are gone when this panel closes.'),
    ...(page === undefined ? [] : [element('p', {}, link, ': what their answers would look like on the dashboard.')]),
    none,
    list,
  );
  const views = new Map<Watched, View>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = async (): Promise<void> => {
    colour(panel, root);
    const all = watching.all();
    none.hidden = all.length > 0;
    for (const each of all)
      if (!views.has(each)) {
        const view = viewOf(each, watching);
        views.set(each, view);
        list.append(view.element);
      }
    for (const [each, view] of views)
      if (!all.includes(each)) {
        view.element.remove();
        views.delete(each);
      }
    await Promise.allSettled([...views.values()].map((view) => view.update()));
  };
  const plan = (wait: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void update().then(() => host.isConnected && plan(EVERY)), wait);
  };
  const watching = watchPage(() => plan(SOON));
  const opener = document.activeElement as HTMLElement | null;
  const close = (): void => {
    watching.end();
    clearTimeout(timer);
    const hadFocus = document.activeElement === host;
    host.remove();
    if (hadFocus) opener?.focus();
    onClose();
  };
  closing.addEventListener('click', close);
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation(); // it is not meant for the page
    close();
  });
  root.append(panel);
  document.body.append(host);
  host.showPopover?.();
  if (takesFocus) heading.focus();
  plan(0);
  return close;
}
