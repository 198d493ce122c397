/** A refusal, or being forgotten, whose own transaction failed or never came: it holds, and erases what waited as soon as it can. */

import { defineSchema, flag, preview } from '@murmuration/client';
import { expect, test } from 'vitest';
import { device, settle } from './device.ts';
import { type Browser, modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { dark: flag(ask) } });

/** A browser that was killed with a report that waits, and a refusal that only the spill holds. */
async function refused(how: 'deny' | 'forget'): Promise<Browser> {
  const browser = modelBrowser();
  const storage = browser.open();
  const { telemetry } = device(schema, { storage, consent: 'ask' });
  await settle();
  telemetry.consent.grant();
  telemetry.record('dark', true);
  await settle();
  storage.fate = 'rejects';
  if (how === 'deny') telemetry.consent.deny();
  else await telemetry.forget();
  await settle();
  expect(browser.stored('murmuration:notes')).toContain('"reports"');
  browser.saveSpill();
  browser.kill();
  return browser;
}

test.each(['deny', 'forget'] as const)('what a failed %s should have erased is erased at the next start', async (how) => {
  const browser = await refused(how);
  const next = device(schema, { storage: browser.open(), consent: 'ask', seed: 2 });
  await settle();
  expect([next.telemetry.consent.state, await preview(next.telemetry)]).toEqual(['denied', []]);
  expect(browser.stored('murmuration:notes')).not.toContain('"reports"');
});

test.each(['deny', 'forget'] as const)('and is never sent, though the person agrees as soon as the next page starts (%s)', async (how) => {
  const browser = await refused(how);
  const next = device(schema, { storage: browser.open(), consent: 'ask', seed: 2 });
  next.telemetry.consent.grant();
  await next.live(600_000);
  await next.telemetry.flush();
  expect([next.telemetry.consent.state, next.uploads]).toEqual(['granted', []]);
});
