/** A plan from a reviewer, who presses the buttons of a panel and clicks what they mean. */

import { expect, test } from 'vitest';
import { askPlan } from '#collector/planning/audit/deployed/asking.ts';
import { launch } from '#collector/planning/audit/deployed/browser.ts';
import { builders, PLAN, script, serveFiles } from './apps.ts';

test('presses and clicks become a plan', async () => {
  const { url, close } = await serveFiles((await builders['esbuild']?.(script())) ?? {});
  const launched = await launch();
  const asked = askPlan(launched, { url, files: new Map(), storageState: undefined });
  await expect.poll(() => launched.browser.contexts().at(-1)?.pages()[0]?.url()).toBe(url);
  const page = launched.browser.contexts().at(-1)?.pages()[0];
  await page?.setViewportSize({ width: 1600, height: 900 });
  const pick = async (label: string, selector: string): Promise<void> => {
    await page?.getByRole('button', { name: label }).click();
    await page?.locator(selector).click();
  };
  await pick('agrees', PLAN.consent);
  await pick('refuses', PLAN.deny);
  await pick('forgets', PLAN.forget);
  for (const [metric, answers] of Object.entries(PLAN.acts))
    for (const [answer, selector] of Object.entries(answers)) await pick(`answers ${answer} to ${metric}`, selector);
  await page?.getByRole('button', { name: 'Done' }).click();
  const { canary: _, ...plan } = PLAN;
  expect(await asked).toEqual(plan);
  await launched.close();
  await close();
});
