/** Opening the overview: the time until the first answer is there, and the processor's time for it, which says more on a machine that is shared. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, CDPSession } from 'playwright-core';
import { manyQuestions } from '../../browser/many-questions.ts';
import type { Line } from '../lines.ts';

const TIMES = 9;
export const VIEWPORT = { width: 1280, height: 800 };

/** A slow connection: bytes a second, and milliseconds that a request waits for its answer. */
const SLOW = { bytes: 180_000, latency: 150 } as const;

/** A collector of so many questions, for as long as it is measured. */
export async function withQuestions<T>(count: number, measure: (of: Awaited<ReturnType<typeof manyQuestions>>) => Promise<T>): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'murmuration-tasks-'));
  const many = await manyQuestions(count, data);
  try {
    return await measure(many);
  } finally {
    await many.collector.close();
    await rm(data, { recursive: true });
  }
}

/** Milliseconds from the click until the answer is there, and those that the page's thread and this process, with its collector, ran. */
interface Opened {
  readonly wall: number;
  readonly page: number;
  readonly collector: number;
}

/** Milliseconds that the page's thread has run. */
async function threadTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

async function open(context: BrowserContext, address: string, isSlow: boolean): Promise<Opened> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  if (isSlow) {
    await session.send('Network.enable');
    const { bytes, latency } = SLOW;
    await session.send('Network.emulateNetworkConditions', { offline: false, latency, downloadThroughput: bytes, uploadThroughput: bytes });
  }
  await page.addInitScript(() => {
    const seen = new MutationObserver(() => {
      if (document.querySelector('.ask .verdict') === null) return;
      seen.disconnect();
      performance.mark('answered');
    });
    seen.observe(document, { childList: true, subtree: true });
  });
  if (!isSlow) await page.goto(`${address}/livez`); // the browser's process for the page is there
  const ranBefore = await threadTime(session);
  const before = process.cpuUsage();
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(() => performance.getEntriesByName('answered').length > 0, undefined, { polling: 50 });
  const { user, system } = process.cpuUsage(before);
  const found = {
    wall: await page.evaluate(() => performance.getEntriesByName('answered')[0]?.startTime ?? Number.NaN),
    page: (await threadTime(session)) - ranBefore,
    collector: (user + system) / 1_000,
  };
  await page.close();
  return found;
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;

/** The first answer among 300 questions. */
export function openings(browser: Browser): Promise<readonly Line[]> {
  return withQuestions(300, async ({ address }) => {
    const openedIn = async (context: BrowserContext, isSlow: boolean): Promise<Opened> => open(context, address, isSlow);
    const anew = async (isSlow: boolean): Promise<Opened> => {
      const context = await browser.newContext({ viewport: VIEWPORT });
      const opened = await openedIn(context, isSlow);
      await context.close();
      return opened;
    };
    await anew(false);
    const context = await browser.newContext({ viewport: VIEWPORT });
    await openedIn(context, false);
    const [warm, slow]: [Opened[], Opened[]] = [[], []];
    for (let i = 0; i < TIMES; i++) {
      warm.push(await openedIn(context, false));
      slow.push(await anew(true));
    }
    await context.close();
    const line = (what: string, all: readonly number[], atMost?: number): Line => ({
      what,
      measured: median(all),
      unit: 'ms',
      ...(atMost !== undefined && { target: { atMost } }),
    });
    const of = (all: readonly Opened[], part: keyof Opened): readonly number[] => all.map((each) => each[part]);
    return [
      line('300 questions, page in the cache: until the first answer', of(warm, 'wall'), 150),
      line('… the page’s thread ran', of(warm, 'page')),
      line('… the collector, and this program, ran', of(warm, 'collector')),
      line(`300 questions, ${SLOW.bytes / 1_000} kB/s, ${SLOW.latency} ms a request, nothing in the cache`, of(slow, 'wall'), 1_500),
      line('… the page’s thread ran', of(slow, 'page')),
    ];
  });
}
