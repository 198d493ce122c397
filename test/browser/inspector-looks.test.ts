/** The inspector for eyes, keyboards and screen readers, in a real Chromium. */

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { first } from '../setup/effort.ts';
import { visiting } from './inspector-site.ts';

let page: Page;
const { restyle, click, share, says, bytes } = visiting((visit) => {
  ({ page } = visit);
});

const looks = [
  ['a dark background alone', 'body { background: #101418; color: #eee }', 'light', 'dark'],
  ['color-scheme: dark alone', ':root { color-scheme: dark }', 'light', 'dark'],
  [
    'a white background and both schemes, while the person likes dark',
    ':root { color-scheme: light dark; background: #fff }',
    'dark',
    'light',
  ],
  ['both schemes, while the person likes dark', ':root { color-scheme: light dark }', 'dark', 'dark'],
  ['nothing declared, while the person likes dark', '', 'dark', 'light'],
] as const;
test.each(first(looks, 3))('is as light or dark as its page: %s', async (_name, style, colorScheme, expected) => {
  await restyle(style);
  await page.emulateMedia({ colorScheme });
  await click('Privacy');
  const host = page.locator('murmuration-inspector section');
  await host.waitFor();
  const paper = await host.evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(paper).toBe(expected === 'dark' ? 'rgb(25, 28, 33)' : 'rgb(255, 255, 255)');
});

test('can be used by keyboard and screen reader: no violation of axe, focus goes in and comes back, Escape closes', async () => {
  await page.evaluate(axe.source);
  await click('Privacy');
  await share().click();
  await click('Answer');
  await bytes().click();
  await page.getByText('Details', { exact: true }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('murmuration-inspector');
  const check = async (): Promise<void> => {
    const violations = await page.evaluate(async () => {
      const { axe: checker } = window as unknown as {
        readonly axe: { run(): Promise<{ readonly violations: readonly { readonly id: string }[] }> };
      };
      return (await checker.run()).violations.map(({ id }) => id);
    });
    expect(violations).toEqual([]);
  };
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => page.locator('murmuration-inspector section').getAttribute('data-scheme')).toBe(colorScheme);
    await check();
    await click('Erase what is stored');
    await check();
    await click('Cancel');
  }
  await share().focus();
  await page.keyboard.press('Space');
  await says('Off. Nothing is sent');
  await expect.poll(() => share().getAttribute('aria-checked')).toBe('false');
  await check();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('murmuration-inspector').count()).toBe(0);
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('open');
});
