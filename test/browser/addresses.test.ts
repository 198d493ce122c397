/** Addresses of questions in a real Chromium: each opens alone, links and Back show another without loading the page, and old ones say so. */

import { choice, defineSchema, flag } from '@murmuration/client';
import { createCollector } from '@murmuration/collector';
import axe from 'axe-core';
import { expect, test } from 'vitest';
import { address, page, servePages } from './context.ts';

const ask = { epsilon: 1, every: 'month' } as const;
const about = { version: 1, budget: { epsilon: 4, per: 'month' } } as const;
const notes = defineSchema({
  ...about,
  app: 'notes',
  metrics: {
    plan: choice(['free', 'pro'], { ...ask, description: 'Which plan?' }),
    dark: flag({ ...ask, description: 'Is dark mode on?' }),
  },
});
const mail = defineSchema({ ...about, app: 'mail', metrics: { dark: flag({ ...ask, description: 'Is the inbox dark?' }) } });

servePages(
  async (data) => {
    const collector = await createCollector({ open: true, schemas: [notes.document, mail.document], data });
    return { collector, address: await collector.listen(0, '127.0.0.1') };
  },
  { viewport: { width: 360, height: 800 } },
);

const questions = () => page.getByRole('main').getByRole('heading', { name: /\?$/ }).allTextContents();

test('a question without reports has an address of its own, and a title', async () => {
  await page.goto(`${address}/questions/plan?app=notes`);
  await page.getByText('Which plan?').waitFor();
  expect(await questions()).toEqual(['Which plan?']);
  expect(await page.title()).toBe('Which plan? · Murmuration');
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
});

test('links, Back and Forward show another place without loading the page', async () => {
  await page.goto(`${address}/questions/plan?app=notes`);
  await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
  await page.getByRole('link', { name: 'All questions' }).press('Enter');
  await page.getByText('Is the inbox dark?').waitFor();
  expect([page.url(), await page.title()]).toEqual([`${address}/`, 'Murmuration']);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  await page.goBack();
  await expect.poll(() => page.title()).toBe('Which plan? · Murmuration');
  expect(await questions()).toEqual(['Which plan?']);
  await page.goForward();
  await page.getByText('Is the inbox dark?').waitFor();
  expect(await page.evaluate(() => 'isSame' in globalThis)).toBe(true);
});

test('a link for another tab opens one', async () => {
  await page.goto(`${address}/questions/plan?app=notes`);
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'All questions' }).click({ modifiers: ['Control'] });
  const other = await opened;
  await expect.poll(() => other.url()).toBe(`${address}/`);
  await expect.poll(() => page.title()).toBe('Which plan? · Murmuration');
});

test('a question that several apps ask is chosen, and one that nobody asks is said to be missing', async () => {
  await page.goto(`${address}/questions/dark`);
  await page.getByRole('link', { name: 'mail: Is the inbox dark?' }).click();
  await expect.poll(questions).toEqual(['Is the inbox dark?']);
  expect(new URL(page.url()).search).toBe('?app=mail');
  await page.goto(`${address}/questions/plan?app=mail`);
  await page.getByText('mail does not ask plan').waitFor();
  expect(await page.getByRole('link', { name: 'notes: Which plan?' }).getAttribute('href')).toBe('questions/plan?app=notes');
  await page.goto(`${address}/questions/gone`);
  await page.getByRole('heading', { name: 'No such question' }).waitFor();
  expect(await page.title()).toBe('No such question · Murmuration');
});
