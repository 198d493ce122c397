/**
 * A plan from a reviewer: the page is shown with a panel of buttons, one for each thing that a plan names. The reviewer presses one, then
 * clicks the element of the page that does it. The page has its own clock, and its reports are answered here.
 */

import type { MetricDocument } from '@murmuration/shared';
import type { Page } from 'playwright-core';
import { triedOf } from '../values.ts';
import type { FoundDevice } from './agent-api.ts';
import type { Launched } from './browser.ts';
import type { Plan } from './plan.ts';
import { answerOf, hooksOf, type Site } from './site.ts';

/** A button of the panel. */
interface Item {
  readonly key: string;
  readonly label: string;
  readonly selector: string | undefined;
}

/** Names in the page: of the agent, and of the calls of the panel. */
const AGENT = '_murmurationAudit';
const CALL = '_murmurationAsk';

const FIRST: readonly (readonly [key: string, label: string])[] = [
  ['consent', 'agrees'],
  ['deny', 'refuses'],
  ['forget', 'forgets'],
];
const ALSO = 'also';

/** The most answers of a metric that are asked for. */
const MOST = 6;

/** Runs in the page: the panel is in a shadow, so the page's styles leave it alone. */
const PANEL = `addEventListener('DOMContentLoaded', async () => {
  if (window !== top) return;
  let picking;
  const host = document.createElement('div');
  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(':host { all: initial; position: fixed; inset: 1rem 1rem auto auto; z-index: 2147483647; max-height: 90vh; overflow: auto; padding: .75rem; width: 18rem; background: #fff; color: #111; border: 2px solid #111; font: 14px/1.4 system-ui } button { display: block; width: 100%; margin: .2rem 0; text-align: left; font: inherit } [aria-pressed=true] { font-weight: 700 }');
  shadow.adoptedStyleSheets = [sheet];
  const pathOf = (element) => {
    const id = element.id && '#' + CSS.escape(element.id);
    if (id && document.querySelectorAll(id).length === 1) return id;
    const parent = element.parentElement;
    if (!parent) return element.localName;
    const alike = [...parent.children].filter((each) => each.localName === element.localName);
    return pathOf(parent) + ' > ' + element.localName + ':nth-of-type(' + (alike.indexOf(element) + 1) + ')';
  };
  const button = (text, press, pressed) => {
    const made = document.createElement('button');
    made.textContent = text;
    made.setAttribute('aria-pressed', String(pressed));
    made.addEventListener('click', press);
    return made;
  };
  let shown = '';
  const show = async () => {
    const items = await globalThis.${CALL}('items');
    const state = JSON.stringify([items, picking]);
    if (state === shown) return;
    shown = state;
    const words = document.createElement('p');
    words.textContent = picking ? 'Now click it on the page.' : 'Press a button, then click on the page what does it.';
    shadow.replaceChildren(
      words,
      ...items.map(({ key, label, selector }) =>
        button(label + (selector ? ': ' + selector : ''), () => { picking = key; void show(); }, picking === key)),
      button('Other side', () => { host.style.inset = host.style.inset ? '' : '1rem auto auto 1rem'; }, false),
      button('Done', () => globalThis.${CALL}('done'), false),
    );
  };
  addEventListener('click', (event) => {
    const [target] = event.composedPath();
    if (!picking || event.composedPath().includes(host)) return;
    void globalThis.${CALL}('pick', picking, pathOf(target));
    picking = undefined;
    void show();
  }, true);
  document.documentElement.append(host);
  await show();
  setInterval(show, 500);
});`;

/** Some answers of a list, or two of those that have no end. */
function answersOf(metric: MetricDocument): readonly string[] {
  const { values, of } = triedOf(metric);
  return values.slice(0, of === null ? 2 : MOST).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

async function itemsOf(page: Page, picks: ReadonlyMap<string, string>): Promise<readonly Item[]> {
  const devices = (await page.evaluate(`globalThis.${AGENT}?.devices() ?? []`).catch(() => [])) as readonly FoundDevice[];
  const answers = devices.flatMap(({ document: { metrics } }) =>
    Object.entries(metrics).flatMap(([name, metric]) =>
      answersOf(metric).map((answer) => [JSON.stringify([name, answer]), `answers ${answer} to ${name}`] as const),
    ),
  );
  return [...FIRST, ...answers, [ALSO, 'saves'] as const].map(([key, label]) => ({ key, label, selector: picks.get(key) }));
}

function planOf(picks: ReadonlyMap<string, string>): Plan {
  const acts: Record<string, Record<string, string>> = {};
  for (const [key, selector] of picks) {
    if (!key.startsWith('[')) continue;
    const [metric, answer] = JSON.parse(key) as [string, string];
    acts[metric] = { ...acts[metric], [answer]: selector };
  }
  const also = picks.get(ALSO);
  return {
    ...Object.fromEntries(FIRST.flatMap(([key]) => (picks.has(key) ? [[key, picks.get(key)]] : []))),
    ...(Object.keys(acts).length > 0 && { acts }),
    ...(also !== undefined && { also: [also] }),
  };
}

/** Shows the page, and resolves when the reviewer is done or has closed it. */
export async function askPlan(
  { browser }: Launched,
  { url, files, storageState }: Pick<Site, 'url' | 'files' | 'storageState'>,
): Promise<Plan> {
  const context = await browser.newContext({ viewport: null, ...(storageState !== undefined && { storageState }) });
  const picks = new Map<string, string>();
  await context.route(
    ({ href }) => answerOf(files, href) !== undefined,
    (route) => route.fulfill(answerOf(files, route.request().url())),
  );
  const page = await context.newPage();
  const { promise: done, resolve } = Promise.withResolvers<void>();
  page.once('close', () => resolve());
  await context.exposeBinding(CALL, (_, call: string, key = '', selector = '') => {
    if (call === 'pick') picks.set(key, selector);
    if (call === 'done') resolve();
    return itemsOf(page, picks);
  });
  await context.addInitScript(hooksOf({ secret: AGENT, seed: 1, webdriver: false, privacyControl: false }));
  await context.addInitScript(PANEL);
  await page.goto(url);
  await done;
  await context.close();
  return planOf(picks);
}
