/** What the client costs a page while it runs, in Chromium. */

import { bundle } from '../../kit/bundle.ts';
import { quantile } from '../../kit/quantile.ts';
import { launchChromium } from '../../setup/chromium.ts';
import type { Measures } from './page.ts';

/** Nobody is there: Chromium asks us for it. Isolated pages have a clock of 5 µs, others of 100 µs. */
const ADDRESS = 'https://bench.example/';
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const DAYS = 60;
const ROUNDS = 4;
const IDLE = 5_000;

declare const measures: Measures;

/** A figure and its gate. */
export interface Line {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  readonly atMost?: number;
}

export async function speed(): Promise<readonly Line[]> {
  const { text: script } = await bundle("import './page.ts';", {}, import.meta.dirname);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.route(`${ADDRESS}**`, (route) => {
      const isScript = new URL(route.request().url()).pathname === '/page.js';
      return route.fulfill({
        headers: { ...ISOLATED, 'content-type': isScript ? 'text/javascript' : 'text/html' },
        body: isScript ? script : '<!doctype html><html lang="en"><title>Bench</title><script type="module" src="/page.js"></script>',
      });
    });
    await page.goto(ADDRESS);
    if (!(await page.evaluate(() => measures.isIsolated())))
      throw new Error('expected an isolated page, whose clock is fine enough, got another');
    const lines: Line[] = [];
    const gates = {
      choice: { median: 15, p99: 100 },
      text: { median: 40, p99: undefined },
      'permanent text': { median: 40, p99: undefined },
    };
    for (const [kind, { median, p99 }] of Object.entries(gates)) {
      const rounds: (readonly number[])[] = [];
      for (let round = 0; round < ROUNDS; round++)
        rounds.push(await page.evaluate(([of, n, days]) => measures.records(of, n, days), [kind as 'choice', round, DAYS] as const));
      // What else the machine does only adds: the round that it disturbed least says most.
      const least = (q: number): number => Math.min(...rounds.map((times) => quantile(times, q)));
      lines.push({ what: `record of a ${kind}, median`, measured: least(0.5), unit: 'µs', atMost: median });
      lines.push({
        what: `record of a ${kind}, p99`,
        measured: least(0.99),
        unit: 'µs',
        ...(p99 !== undefined && { atMost: p99 }),
      });
    }
    // A thousand metrics are more than any app asks: shown, and no gate.
    for (const metrics of [20, 1_000]) {
      const { writes, milliseconds } = await page.evaluate((of) => measures.burst(of), metrics);
      lines.push({ what: `1,000 records in one tick, ${metrics} metrics: transactions`, measured: writes, unit: '', atMost: 1 });
      lines.push({
        what: `1,000 records in one tick, ${metrics} metrics: task`,
        measured: milliseconds,
        unit: 'ms',
        ...(metrics < 1_000 && { atMost: 50 }),
      });
    }
    const used = await page.evaluate((milliseconds) => measures.idle(milliseconds), IDLE);
    lines.push({
      what: `idle: timers, requests, storage in ${IDLE / 1_000} s and when hidden`,
      measured: used.length,
      unit: '',
      atMost: 0,
    });
    return lines;
  } finally {
    await browser.close();
  }
}
