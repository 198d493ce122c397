/** The plan in a real Chromium: its sentence, bars and line are the API's, a plan is a link, and all of it works by clicks and by keyboard alone. */

import { choice, createTelemetry, defineSchema, flag, memoryStorage } from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import { createCollector } from '@murmuration/collector';
import { createReader, type PlanAsked } from '@murmuration/collector/reader';
import axe from 'axe-core';
import { expect, test } from 'vitest';
import { EFFORT } from '../setup/effort.ts';
import { address, forgive, page, servePages } from './context.ts';

const ask = { epsilon: 1, every: 'week' } as const;
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 20, per: 'month' },
  metrics: {
    dark: flag({ ...ask, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { ...ask, description: 'Which plan?' }),
  },
});

servePages(
  async (data) => {
    const collector = await createCollector({ open: true, schemas: [schema.document], data, minimum: 10 });
    const endpoint = await collector.listen(0, '127.0.0.1');
    for (let i = 0; i < 30; i++) {
      const storage = memoryStorage();
      const telemetry = createTelemetry({ schema, endpoint, consent: 'granted', storage, rng: seededRng(i) });
      telemetry.record('dark', i % 3 === 0);
      telemetry.record('plan', 'pro');
      await telemetry.flush();
    }
    return { collector, address: endpoint };
  },
  { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] },
);

const EIGHT: PlanAsked = { type: 'choice', of: '8', epsilon: 1, every: 'month', error: 0.01 };
const planned = (asked: Partial<PlanAsked> = {}) => createReader(undefined, { url: address }).plan({ ...EIGHT, ...asked });
const sentence = () => page.locator('.question-head .verdict');
const settled = () => page.waitForFunction(() => document.querySelector('.plan pre') && !document.querySelector('.outdated'));
const parameter = (name: string) => new URL(page.url()).searchParams.get(name);

test('a click and a number say how long a question of 8 options takes to ± 1 point, and the line is copied', async () => {
  await page.goto(address);
  await page.getByRole('link', { name: 'Plan', exact: true }).click();
  await expect.poll(() => page.title()).toBe('Plan a question · Murmuration');
  const few = await planned();
  expect([few.devices, few.traffic?.devices, few.weeks]).toEqual([30, 30, null]);
  await expect.poll(() => sentence().textContent()).toMatch(/^Not ± 1 point, however long it is asked, if 30 devices answer each month/);
  await page.getByRole('spinbutton', { name: 'Devices that answer each month' }).fill('40000');
  const { weeks, line, after } = await planned({ devices: 40_000 });
  await expect.poll(() => sentence().textContent()).toContain(`± 1 point after ${weeks} weeks, if 40,000 devices answer each month`);
  await settled();
  const bars = await page.locator('.bars .row').allTextContents();
  expect(bars).toEqual(after.example.map(({ share }, i) => expect.stringContaining(`answer ${i + 1}${(100 * share).toFixed(1)}`)));
  await page.getByRole('button', { name: 'Copy line' }).click();
  await page.getByText('The line is copied.').waitFor();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(line);
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  await expect.poll(() => sentence().textContent()).toContain(`± 1 point after ${weeks} weeks`);
});

test('by keyboard alone: the type, the answers, ε, the wanted error and the weeks', async () => {
  await page.goto(address);
  await page.getByRole('link', { name: 'Plan', exact: true }).press('Enter');
  await settled();
  const press = (name: string, ...keys: readonly string[]) =>
    keys.reduce((before, key) => before.then(() => page.getByRole('slider', { name }).press(key)), Promise.resolve());
  await press('Answers', 'ArrowRight', 'ArrowRight');
  await press('Privacy', 'End');
  await press('Wanted', 'ArrowRight');
  await press('Look at it after', 'Home');
  await page.getByRole('radio', { name: 'month' }).press('ArrowRight');
  await expect.poll(() => ['of', 'epsilon', 'error', 'after', 'every'].map(parameter)).toEqual(['10', '8', '0.015', '1', 'week']);
  await expect.poll(() => page.getByRole('slider', { name: 'Wanted' }).getAttribute('aria-valuetext')).toBe('1.5 points');
  await page.keyboard.press('Tab'); // nothing holds the focus
  await page.getByRole('combobox', { name: 'Type' }).press('y'); // yes or no
  await expect.poll(() => parameter('type')).toBe('flag');
  const { line } = await planned({ type: 'flag', of: undefined, epsilon: 8, error: 0.015, after: 1, every: 'week' });
  await expect.poll(() => page.locator('.plan pre').textContent()).toBe(line);
  await page.getByRole('button', { name: 'Copy line' }).press('Enter');
  await page.getByText('The line is copied.').waitFor();
});

test('wishes for the questions that there are get the smallest budget, and what can’t be planned says why', async () => {
  await page.goto(`${address}/plan?devices=20000`);
  await settled();
  await page.getByRole('combobox', { name: 'Add a question' }).selectOption('Which plan?');
  await page.getByRole('spinbutton', { name: 'Which plan?' }).fill('2');
  const { wishes } = await planned({ devices: 20_000, wishes: { plan: 0.02 } });
  await expect.poll(() => parameter('wish')).toBe('plan:0.02');
  await expect
    .poll(() => page.locator('.plan-needed').textContent())
    .toMatch(new RegExp(`^ε ${wishes?.needed} a month is enough. The schema has 20`));
  await page.getByRole('combobox', { name: 'Type' }).selectOption('average');
  await page.getByRole('textbox', { name: 'Least and greatest number' }).fill('5,1');
  await page.getByText('expected ascending numbers').waitFor();
  forgive(); // the browser says that the answer was 400
});

const LOOKS = [
  [390, 'light', 'plan?devices=40000&wish=plan:0.02'],
  [1280, 'dark', 'plan?devices=40000'],
  [320, 'dark', 'plan?type=mean&of=0,100'],
  [2560, 'light', 'plan?type=choices&of=8&devices=5000&every=week'],
] as const;
test.each(LOOKS.slice(0, EFFORT))(
  'at %i pixels, %s, %s has no flaw that axe knows, and nothing overflows',
  async (width, colorScheme, view) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${address}/${view}`);
    await settled();
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    const wrong = await page.evaluate(() => [
      ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page is too wide'] : []),
      ...[...document.querySelectorAll('.plan :is(button, select, input, .choice-option)')]
        .map((target) => [target.outerHTML.slice(0, 80), target.getBoundingClientRect().height] as const)
        .filter(([, height]) => height < 24)
        .map(([text, height]) => `too small: ${text} ${height}`),
    ]);
    expect(wrong).toEqual([]);
  },
);
