/** The components in a real Chromium, under a strict policy: as an element, in React, in Vue and in Svelte, beside each other in one page. */

import * as ofSvelte from '@murmuration/client/components/svelte';
import * as ofVue from '@murmuration/client/components/vue';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import { createSSRApp, h } from 'vue';
import { renderToString } from 'vue/server-renderer';
import { type Visit, visiting } from './inspector-site.ts';

const TAG = '<murmuration-consent></murmuration-consent>';
const undecided = { telemetry: { consent: { state: 'unknown', grant: () => {}, deny: () => {}, subscribe: () => () => {} } } } as const;
const fromServer = render(ofSvelte.Consent, { props: undecided }).body;

const PLACES = ['element', 'react', 'vue', 'svelte'] as const;
const MAIN = `${PLACES.map((id) => `<div id="${id}"></div>`).join('')}<div id="hydrated">${fromServer}</div>`;

let visit: Visit;
let page: Page;
visiting(
  (opened) => {
    visit = opened;
    ({ page } = visit);
  },
  MAIN,
  new URL('components-page.js', import.meta.url),
);

const questions = (): Locator => page.locator('murmuration-consent section').filter({ visible: true });
const inspector = (): Locator => page.locator('murmuration-inspector section');
/** All that the page has stored. */
const stored = (): Promise<readonly string[]> =>
  page.evaluate(async () => [...Object.keys(localStorage), ...(await indexedDB.databases()).map(({ name }) => `database ${name}`)]);

async function check(): Promise<void> {
  const violations = await page.evaluate(async () => {
    const { axe: checker } = window as unknown as {
      readonly axe: { run(): Promise<{ readonly violations: readonly { readonly id: string }[] }> };
    };
    return (await checker.run()).violations.map(({ id }) => id);
  });
  expect(violations).toEqual([]);
}

test('asks, stores nothing before an answer, shows what is sent, and leaves people alone who have decided', async () => {
  for (const html of [fromServer, await renderToString(createSSRApp({ render: () => h(ofVue.Consent, undecided) }))])
    expect(html).toContain(TAG); // a server renders an element that shows nothing
  await page.evaluate(axe.source);
  await expect.poll(() => questions().count()).toBe(PLACES.length + 1);
  await check();
  expect(await stored()).toEqual([]);
  expect(await page.locator('#vue').getByRole('button').allTextContents()).toEqual([
    'Teilen',
    'Nicht teilen',
    'Was wird gefragt und gesendet?',
  ]);
  expect(await page.locator('#hydrated').getByRole('button').count()).toBe(2); // no button for an inspector that nobody opens

  for (const id of PLACES) {
    await page.locator(`#${id}`).getByRole('button').nth(2).click();
    await inspector().getByRole('switch').and(page.locator(':enabled')).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('murmuration-inspector');
    const plan = inspector()
      .locator('li')
      .filter({ hasText: id === 'vue' ? 'In 42 von 100 Fällen' : 'In 42 of 100 cases' });
    await plan.locator('summary').click();
    await plan.getByRole('combobox').selectOption('pro');
    for (let tries = 1; tries <= 3; tries++) {
      await plan.getByRole('combobox').focus();
      await plan.getByRole('button').press('Enter');
      await plan
        .getByRole('status')
        .getByText(new RegExp(` (?:of|von) ${tries} `))
        .waitFor();
    }
    expect(await plan.getByRole('status').textContent()).toMatch(/“(?:free|pro|team)”|„(?:free|pro|team)“/);
    if (id === 'element') await check();
    await page.keyboard.press('Escape');
    await inspector().waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent))
      .toMatch(/sent\?|gesendet\?/);
  }
  expect((await stored()).filter((name) => !name.startsWith('database'))).toEqual([]);

  await page.locator('#react').getByRole('button', { name: 'Share', exact: true }).press('Enter');
  await expect.poll(() => questions().count()).toBe(0);
  await page.locator('#react').getByRole('status').getByText('You share randomized answers.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('murmuration-consent');
  await expect.poll(() => page.evaluate('granted.toSorted()')).toEqual([...PLACES].sort());
  await expect.poll(() => visit.sent.length).toBe(1);
  expect((JSON.parse(visit.sent[0] ?? '') as { readonly reports: readonly unknown[] }).reports).toHaveLength(1); // no try is a report

  await page.reload();
  await expect.poll(() => page.evaluate('granted.toSorted()')).toEqual([...PLACES].sort());
  expect(await questions().count()).toBe(0);
});
