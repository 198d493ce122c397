/** What Playwright disables in Chromium stays disabled when the tests disable more: chromium.ts names all of it. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { PLAYWRIGHT_DISABLES } from './chromium.ts';

test('the features that Playwright disables are those of its source', () => {
  const source = readFileSync(createRequire(import.meta.url).resolve('playwright-core/lib/coreBundle'), 'utf8');
  const [, list = ''] = /\bdisabledFeatures = \[(.*?)\]\.filter/s.exec(source) ?? [];
  expect(Array.from(list.matchAll(/^\s*"(\w+)",?$/gm), ([, feature]) => feature)).toEqual(PLAYWRIGHT_DISABLES);
});
