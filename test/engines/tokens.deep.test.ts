/** Each engine blinds, checks the proof and keeps its token in its own storage; the report leaves at another opening. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPaidApp } from '../kit/paid-app.ts';
import { inEachEngine } from './each.ts';

/** The outcomes of a visit, once its telemetry has ended. */
const OUTCOMES = `new Promise((resolve) => {
  const look = () => (document.title === 'done' ? resolve(window.outcomes) : setTimeout(look, 10));
  look();
})`;

inEachEngine(({ launch }, test) => {
  test('asks for a token at one opening, and reports at the next', async ({ expect }) => {
    const app = await startPaidApp();
    const profile = await mkdtemp(join(tmpdir(), 'murmuration-paid-'));
    const browser = await launch(profile);
    const outcomes: unknown[] = [];
    for (const visit of app.visits) {
      const page = await browser.open(visit);
      outcomes.push(await page.evaluate(OUTCOMES));
      await page.close();
    }
    expect(outcomes).toEqual([['recorded'], ['delivered']]);
    expect([app.accounts, await app.counted()]).toEqual([['account=ada'], 1]);
    await browser.close();
    await app.close();
    await rm(profile, { recursive: true });
  });
});
