/** One table of refusals: what the format lists is what the collector says, and what devices go by. */

import { readFileSync } from 'node:fs';
import { createTelemetry, memoryStorage, preview } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { REFUSALS } from '#collector/base/refusal.ts';
import { schema } from './senders.ts';

describe('one table of refusals', () => {
  const format = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8');
  const rows = [...format.matchAll(/^\| (\d{3}) +\| `([a-z-]+)` +\|/gm)].map(([, status, code]) => [code, Number(status)] as const);

  test('the format lists every one, with its status, and no other', () => {
    expect(Object.fromEntries(rows)).toEqual(REFUSALS);
  });

  test.each(Object.entries(REFUSALS))('after %s (%i) a device keeps or drops its batch as the format says', async (_code, status) => {
    const telemetry = createTelemetry({
      schema,
      endpoint: 'http://refusals.invalid',
      storage: memoryStorage(),
      transport: async () => ({ status }),
    });
    telemetry.consent.grant();
    telemetry.record('plan', 'pro');
    await telemetry.flush();
    const kept = (await preview(telemetry)).length > 0;
    expect(kept).toBe([403, 404, 408, 429].includes(status) || status >= 500);
    await telemetry.close();
  });
});
