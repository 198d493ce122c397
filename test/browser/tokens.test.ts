/** A page gets its token from the app's own server and keeps it in IndexedDB; the report leaves at another opening, an hour later. */

import { expect, test } from 'vitest';
import { startPaidApp } from '../kit/paid-app.ts';
import { launchChromium } from '../setup/chromium.ts';
import { PATIENCE, watchedContext } from './context.ts';

test(
  'a page asks for a token at one opening, and reports at the next',
  async () => {
    const app = await startPaidApp();
    const browser = await launchChromium();
    const outcomes: unknown[] = [];
    try {
      const { context, complaints } = await watchedContext(browser);
      for (const visit of app.visits) {
        const page = await context.newPage();
        await page.goto(visit);
        await page.waitForFunction(() => document.title === 'done');
        outcomes.push(await page.evaluate('window.outcomes'));
        await page.close();
      }
      expect(outcomes).toEqual([['recorded'], ['delivered']]);
      expect(complaints).toEqual([]);
      expect([app.accounts, await app.counted()]).toEqual([['account=ada'], 1]);
    } finally {
      await browser.close();
      await app.close();
    }
  },
  PATIENCE,
);
