/** What an open tab of 300 questions loads in an hour, by a clock that is wound: where nothing happens, and where reports come all the time. */

import type { Browser } from 'playwright-core';
import type { Line } from '../lines.ts';
import { VIEWPORT, withQuestions } from './opening.ts';

const HOUR = 3_600;
const STEP = 5;
const MEGABYTE = 1_000_000;

/** Bytes of an hour, requests and headers with them, from the first on. */
async function hourOf(browser: Browser, address: string, happens: () => Promise<void>): Promise<number> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await page.clock.install();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  const probes = new Set<string>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.endsWith('/livez')) probes.add(requestId);
    else bytes += request.url.length + JSON.stringify(request.headers).length;
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!probes.has(requestId)) bytes += encodedDataLength; // with its headers
  });
  await page.goto(address);
  await page.locator('.ask .verdict').first().waitFor();
  for (let second = 0; second < HOUR; second += STEP) {
    await happens();
    await page.clock.runFor(1_000 * STEP);
    await page.evaluate(() => fetch('livez')); // whatever was asked is answered by now
  }
  await context.close();
  return bytes;
}

export function hours(browser: Browser): Promise<readonly Line[]> {
  return withQuestions(300, async ({ address, send }) => {
    const line = (what: string, bytes: number): Line => ({ what, measured: bytes / MEGABYTE, unit: 'MB', target: { atMost: 1 } });
    return [
      line('a tab’s first hour in which no report comes', await hourOf(browser, address, async () => undefined)),
      line('a tab’s first hour in which reports of all 300 questions come every 5 s', await hourOf(browser, address, () => send(1))),
    ];
  });
}
