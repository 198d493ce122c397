/** The tasks of a team in Firefox and WebKit, as in Chromium (demo.test.ts): on the demo, at two widths. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { inEachEngine } from '../engines/each.ts';
import { engines } from '../engines/engines.ts';
import { scripted } from './hands.ts';
import { type StartedDemo, startDemo } from './started.ts';
import { walk, wrongIn } from './tasks.ts';

const WIDTHS = [1280, 390];
const HEIGHT = 800;

let started: StartedDemo;
beforeAll(async () => {
  started = await startDemo();
}, 600_000);
afterAll(() => started.kill());

inEachEngine(
  ({ launch }, test) => {
    for (const width of WIDTHS)
      test(`the tasks are done at ${width} pixels, and what the page says is true`, async ({ expect }) => {
        const profile = await mkdtemp(join(tmpdir(), 'murmuration-tasks-'));
        const browser = await launch(profile);
        const page = await browser.open(started.address);
        await page.resize(width, HEIGHT);
        expect(wrongIn(await walk(scripted(page), started.address))).toEqual([]);
        await browser.close();
        await rm(profile, { recursive: true });
      });
  },
  engines.filter(({ name }) => name !== 'chromium'),
);
