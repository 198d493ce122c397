/** The overview of 1,000 questions: the longest task of the page's thread while it is opened, and while it is scrolled to its end. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { Line } from '../lines.ts';
import { VIEWPORT, withQuestions } from './opening.ts';

/** A task that takes longer keeps a click waiting (the Long Tasks API counts from here on). */
const LONG = 50;

const SCREEN = 700;
const FRAME = 40;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** Microseconds that the thread ran. */
  readonly tdur?: number;
}

/** Milliseconds that each task of pages' threads ran. */
function tasksIn(trace: Buffer): readonly number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const threads = new Set(
    traceEvents.flatMap(({ name, pid, tid, args }) => (name === 'thread_name' && args.name === 'CrRendererMain' ? `${pid} ${tid}` : [])),
  );
  return traceEvents.flatMap(({ name, pid, tid, tdur }) =>
    /RunTask$/.test(name) && tdur !== undefined && threads.has(`${pid} ${tid}`) ? tdur / 1_000 : [],
  );
}

export function scrolling(browser: Browser): Promise<readonly Line[]> {
  return withQuestions(1_000, async ({ address }) => {
    const context = await browser.newContext({ viewport: VIEWPORT });
    const page = await context.newPage();
    const traced = async (act: () => Promise<void>): Promise<number> => {
      await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
      await act();
      return Math.max(...tasksIn(await browser.stopTracing()));
    };
    const opened = await traced(async () => {
      await page.goto(address);
      await page.locator('.ask .verdict').first().waitFor();
    });
    const scrolled = await traced(async () => {
      for (let isOver = false; !isOver; await sleep(FRAME)) {
        await page.mouse.wheel(0, SCREEN);
        isOver = await page.evaluate(() => scrollY + innerHeight >= document.documentElement.scrollHeight - 1);
      }
    });
    await context.close();
    const line = (what: string, measured: number): Line => ({ what, measured, unit: 'ms', target: { atMost: LONG } });
    return [
      line('1,000 questions: the longest task while the page is opened ran', opened),
      line('1,000 questions: the longest task while it is scrolled to its end ran', scrolled),
    ];
  });
}
