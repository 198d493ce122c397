/**
 * What the dashboard says in a real Chromium before there is an answer, and when the collector is away: compared word by word, at two widths
 * with axe. A link that is gone and a day of crafted reports are in question.test.ts, signing in is in sign-in.test.ts.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema } from '@murmuration/client';
import { createCollector } from '@murmuration/collector';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../setup/chromium.ts';
import { watchedContext } from './context.ts';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 4, per: 'month' },
  metrics: {
    plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }),
    page: choice(['inbox', 'today'], { epsilon: 1, description: 'Which page opens first?' }),
  },
});

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** Sends reports of a plan, each by a device of its own. */
async function report(address: string, reports: number): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  for (let i = 0; i < reports; i++) {
    const body = { v: 1, schema: schema.wire, day, batch: `${i}`.padStart(32, '0'), reports: [['plan', 'AQ']] };
    const response = await fetch(`${address}/v1/reports`, { method: 'POST', body: JSON.stringify(body) });
    expect([response.status, await response.text()]).toEqual([204, '']);
  }
}

interface State {
  readonly documents?: readonly (typeof schema.document)[];
  readonly path?: string;
  readonly reports?: number;
  /** A part of what is shown when the state is there. */
  readonly shown: string;
  /** Brings the state about, where opening the page does not. */
  readonly happens?: (page: Page) => Promise<void>;
}

const STATES: { readonly [name: string]: State } = {
  'no schema': { documents: [], shown: 'No questions here' },
  'no report': { shown: 'No reports yet' },
  'no report of a question': { path: 'questions/page?app=notes', reports: 3, shown: 'Does the app record' },
  'first reports': { path: 'questions/plan?app=notes', reports: 3, shown: 'Not enough reports yet' },
  'no such question': { path: 'questions/gone', shown: 'No such question' },
  away: { shown: 'connection lost', happens: (page) => page.context().setOffline(true) },
};

for (const [name, { documents = [schema.document], path = '', reports = 0, shown, happens }] of Object.entries(STATES))
  test.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(`${name} (%s, %i pixels wide)`, async (colorScheme, width) => {
    const data = await mkdtemp(join(tmpdir(), 'murmuration-states-'));
    const collector = await createCollector({ open: true, schemas: documents, minimum: 20, data });
    const address = await collector.listen(0, '127.0.0.1');
    if (reports > 0) await report(address, reports);
    const { context } = await watchedContext(browser, { colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${address}/${path}`);
    await page.getByRole('main').getByRole('heading').first().waitFor();
    await happens?.(page);
    await page.getByText(shown).first().waitFor();
    const words = (await page.locator('body').ariaSnapshot()).replaceAll(address, 'ADDRESS').replaceAll(/\d\d:\d\d:\d\d/g, 'TIME');
    await expect(`${words}\n`).toMatchFileSnapshot(`states/${name.replaceAll(' ', '-')}.txt`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    const folder = process.env['SHOTS'];
    if (folder) await page.screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}-${width}.png`) });
    await context.close();
    await collector.close();
    await rm(data, { recursive: true });
  });
