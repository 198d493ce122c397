/** Every build of the honest app, and every cheat. */

import { describe, expect, test } from 'vitest';
import { builders, WORKERS } from './apps.ts';
import { audited, auditedIn, failed, plainly } from './audited.ts';
import { cheats } from './cheats.ts';

test.each(Object.keys(builders))('an honest app fails no check when it is built by %s', async (builder) => {
  const { rows, schema } = await audited(builder);
  expect(rows.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(schema?.name).toMatch(/^audited\/3\//);
});

describe('with its telemetry in a', () => {
  test.each(Object.keys(WORKERS))('%s, an honest app fails no check, and tests each', async (kind) => {
    const result = await auditedIn(kind);
    expect(failed(result)).toEqual([]);
    expect(result.rows.filter(({ verdict }) => verdict === 'not tested').map(({ check }) => check)).toEqual([
      'published schema',
      'log of schemas',
    ]);
    expect(plainly(result, 'thresholds of plan')).toContain('as in the certificate');
  });

  test.each(Object.keys(WORKERS))('%s, a cheat is found by its coins or by its batch id', async (kind) => {
    expect(failed(await auditedIn(kind, cheats['biased coins']))).toContain('thresholds of plan');
    expect(failed(await auditedIn(kind, cheats['batch id']))).toContain('twins');
  });
});

describe('a cheat is found', () => {
  test.each(Object.entries(cheats))('%s', async (_, parts) => {
    expect(failed(await audited('esbuild', parts))).not.toEqual([]);
  });
});
