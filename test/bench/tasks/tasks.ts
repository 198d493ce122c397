/** `npm run bench -- tasks [--only opening,scrolling,hour,walking]`: how fast the page answers, how smooth it stays, and what it loads. */

import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../setup/chromium.ts';
import { holds, type Line, rowOf } from '../lines.ts';
import { hours } from './hour.ts';
import { openings } from './opening.ts';
import { scrolling } from './scrolling.ts';
import { walking } from './walking.ts';

const parts: { readonly [name: string]: (browser: Browser) => Promise<readonly Line[]> } = {
  opening: openings,
  scrolling,
  hour: hours,
  walking,
};

export async function tasks(args: readonly string[]): Promise<{
  readonly result: { readonly passed: boolean; readonly lines: readonly Line[] };
  readonly rows: readonly (readonly string[])[];
}> {
  const all = Object.keys(parts).join();
  const { values } = parseArgs({ args: [...args], options: { only: { type: 'string', default: all } } });
  const lines: Line[] = [];
  const browser = await launchChromium();
  try {
    for (const name of values.only.split(',')) {
      const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
      if (part === undefined) throw new TypeError(`--only: expected some of ${all}, got ${JSON.stringify(name)}`);
      lines.push(...(await part(browser)));
    }
  } finally {
    await browser.close();
  }
  return { result: { passed: lines.every(holds), lines }, rows: [['what', 'measured', 'aim', ''], ...lines.map(rowOf)] };
}
