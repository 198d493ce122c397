/** One list of refusals: what the format lists is what the collector says, and what devices go by. */

import { readFileSync } from 'node:fs';
import { createTelemetry, memoryStorage, preview } from '@murmuration/client';
import { FINAL_REFUSALS, REFUSALS } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { bodyOf, refusal } from '#collector/base/refusal.ts';
import { schema } from '../../kit/senders.ts';

describe('one list of refusals', () => {
  const format = readFileSync(new URL('../../../docs/format.md', import.meta.url), 'utf8');
  const rows = [...format.matchAll(/^\| (\d{3}) +\| `([a-z-]+)` +\| (yes)? +\|/gm)].map(
    ([, status, code = '', isFinal]) => [code, Number(status), isFinal !== undefined] as const,
  );

  test('the format lists every one, with its status, and no other', () => {
    expect(Object.fromEntries(rows)).toEqual(REFUSALS);
  });

  test.each(rows)('after %s (%i) a device drops its batch if the format calls it final: %s', async (code, status, isFinal) => {
    const telemetry = createTelemetry({
      schema,
      endpoint: 'http://refusals.invalid',
      storage: memoryStorage(),
      transport: async () => ({ status, body: bodyOf(refusal(code as keyof typeof REFUSALS, 'something', 'another')) }),
    });
    telemetry.consent.grant();
    telemetry.record('plan', 'pro');
    await telemetry.flush();
    const kept = (await preview(telemetry)).length > 0;
    expect([kept, Object.hasOwn(FINAL_REFUSALS, code)]).toEqual([!isFinal, isFinal]);
    await telemetry.close();
  });
});
