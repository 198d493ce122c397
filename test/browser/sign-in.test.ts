/** Signing in and out of the dashboard in a real Chromium: by keyboard, in light and dark, wide and narrow, and with nothing left behind. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema } from '@murmuration/client';
import { type Collector, createCollector } from '@murmuration/collector';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../setup/chromium.ts';
import { watchedContext } from './context.ts';

const schema = defineSchema({
  app: 'closed',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: { plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }) },
});

let browser: Browser;
let data: string;
let collector: Collector;
let address: string;
let token = '';
beforeAll(async () => {
  browser = await launchChromium();
  data = await mkdtemp(join(tmpdir(), 'murmuration-sign-in-'));
  collector = await createCollector({ schemas: [schema.document], data });
  collector.admin.announceFirst((first) => {
    token = first;
  });
  address = await collector.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await browser.close();
  await collector.close();
  await rm(data, { recursive: true });
});

test.each([
  ['light', 1280],
  ['dark', 360],
] as const)('a person signs in with a token and out again (%s, %i pixels wide)', async (colorScheme, width) => {
  const { context, complaints } = await watchedContext(browser, { colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const folder = process.env['SHOTS'];
  const shoot = async (name: string): Promise<void> => {
    if (folder) await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  };
  await page.goto(address);
  await page.getByLabel('Access token').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await shoot('sign-in');
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);

  await page.getByLabel('Access token').fill('at_wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The collector does not know this token').waitFor();
  await shoot('wrong');
  await page.getByLabel('Access token').fill(` ${token} `);
  await page.keyboard.press('Enter');
  await page.getByText('Which plan?').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await shoot('signed-in');
  expect(await page.evaluate(() => [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)])).toEqual([
    '',
    '{}',
    '{}',
  ]);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Access token').waitFor();
  await expect.poll(() => context.cookies()).toEqual([]);
  // Chromium itself reports each 401 in the console. Nothing else may be there.
  expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  await context.close();
});
