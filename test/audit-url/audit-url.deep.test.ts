/** Every build of the honest app, and every cheat. */

import { describe, expect, test } from 'vitest';
import { builders } from './apps.ts';
import { audited, failed } from './audited.ts';
import { cheats } from './cheats.ts';

test.each(Object.keys(builders))('an honest app fails no check when it is built by %s', async (builder) => {
  const { rows, schema } = await audited(builder);
  expect(rows.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(schema?.name).toMatch(/^audited\/3\//);
});

describe('a cheat is found', () => {
  test.each(Object.entries(cheats))('%s', async (_, parts) => {
    expect(failed(await audited('esbuild', parts))).not.toEqual([]);
  });
});
