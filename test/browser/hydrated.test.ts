/** The components in apps of React, Vue and Svelte that a server rendered. A real Chromium takes them over, and complains of nothing. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { componentsOn } from '../kit/components.ts';
import { type Visit, visiting } from './inspector-site.ts';

const FRAMEWORKS = ['react', 'vue', 'svelte'] as const;

/** What a server renders. */
async function rendered(): Promise<{ readonly [framework: string]: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-rendered-'));
  const outfile = join(folder, 'server.cjs');
  await build({
    entryPoints: [fileURLToPath(new URL('hydrated-server.js', import.meta.url))],
    nodePaths: [fileURLToPath(new URL('../../examples/node_modules', import.meta.url))], // React
    bundle: true,
    platform: 'node',
    plugins: [componentsOn('server')],
    outfile,
  });
  const { htmlOf } = createRequire(outfile)(outfile) as { readonly htmlOf: () => ReturnType<typeof rendered> };
  await rm(folder, { recursive: true });
  return htmlOf();
}

const html = await rendered();
let visit: Visit;
let page: Page;
visiting(
  (opened) => {
    visit = opened;
    ({ page } = visit);
  },
  FRAMEWORKS.map((id) => `<div id="${id}">${html[id]}</div>`).join(''),
  new URL('hydrated-page.js', import.meta.url),
);

test('a server renders elements that show nothing, and the page asks in each, shows what is sent, and records', async () => {
  for (const id of FRAMEWORKS) {
    expect(html[id]).toMatch(
      /<h2>.*<\/h2>.*<murmuration-consent><\/murmuration-consent>.*<murmuration-inspector><\/murmuration-inspector>/s,
    );
    const app = page.locator(`#${id}`);
    await app.getByRole('region', { name: id }).waitFor();
    await app.getByRole('switch', { name: 'Share randomized answers' }).and(page.locator(':enabled')).waitFor();
    expect(await app.locator('murmuration-consent').count()).toBe(1); // the server's own
  }
  await page.locator('#vue').getByRole('button', { name: 'Share', exact: true }).click();
  await expect.poll(() => page.evaluate('granted.toSorted()')).toEqual([...FRAMEWORKS].sort());
  await expect.poll(() => visit.sent.length).toBe(1);
  expect(await page.getByRole('button', { name: 'Share', exact: true }).count()).toBe(0);
  for (const id of FRAMEWORKS)
    await page.locator(`#${id}`).getByRole('switch', { name: 'Share randomized answers', checked: true }).waitFor();
});
