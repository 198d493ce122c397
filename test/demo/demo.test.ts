/** The demo as people run it: what it prints, what it exits with, and that it stops when told. */

import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { schema } from '@murmuration/examples/demo/schema';
import { DAYS, MISSING, POISONED, RELEASE, SILENT } from '@murmuration/examples/demo/story';
import { dayNumber, dayText } from '@murmuration/shared';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE, watchedContext } from '../browser/context.ts';
import { launchChromium } from '../setup/chromium.ts';
import { EFFORT } from '../setup/effort.ts';
import { byKeys, byMouse } from './hands.ts';
import { demo, type StartedDemo, startDemo } from './started.ts';
import { walk, wrongIn } from './tasks.ts';

async function run(...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
  const child = demo('run.ts', ...args);
  const [out, error, [code]] = await Promise.all([text(child.stdout as never), text(child.stderr as never), once(child, 'exit')]);
  return { code: code as number, out, error };
}

test('demo --json prints one document: every metric beside the truth, all of them consistent', async () => {
  const { code, out } = await run('--devices', '600', '--json');
  const { metrics, seconds, ...rest } = JSON.parse(out) as {
    readonly metrics: readonly { readonly [key: string]: unknown }[];
    readonly seconds: number;
  };
  expect(rest).toEqual({ devices: 600, reports: 7_800, consistent: true });
  expect(seconds).toBeGreaterThan(0);
  expect(code).toBe(0);
  const silent: readonly string[] = [SILENT.metric, MISSING.metric]; // 2.0 does not record them
  const recorded = Object.keys(schema.questions).filter((name) => !silent.includes(name));
  expect(new Set(metrics.map(({ metric }) => metric))).toEqual(new Set(recorded));
  const keys = ['metric', 'mechanism', 'epsilon', 'answers', 'rmse', 'expectedRmse', 'z2', 'df', 'pValue', 'coverage95'];
  for (const metric of metrics) expect(Object.keys(metric).sort()).toEqual(keys.sort());
});

test('demo --relay sends each report in a message of its own, and the estimates are those of the truth', async () => {
  const { code, out, error } = await run('--devices', '80', '--relay', '--json');
  const { devices, reports, consistent } = JSON.parse(out || `"${error}"`);
  expect({ code, devices, reports, consistent }).toEqual({ code: 0, devices: 80, reports: 80 * 13, consistent: true });
});

test.each([
  [['--devices', 'many'], '--devices: expected a whole number from 1 to 10000000, got "many"\n'],
  [['--speed', '3'], /^expected --devices N, --seed K, --relay, --json; got: [^\n]*'--speed'\n$/],
])('demo %j is bad usage: one line, exit 2', async (args, line) => {
  const { code, out, error } = await run(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toMatch(line);
});

/** The past has a fixed seed, so what is said of past days holds always or never. */
describe('start', () => {
  let started: StartedDemo;
  const ask = async <T>(path: string): Promise<T> => (await fetch(`${started.address}/v1/${path}`)).json() as Promise<T>;
  /** A day of the story. It began when the past was made, which may have been before midnight. */
  const dayOf = (day: number): string => {
    const poisoned = /from=([\d-]+)/.exec(started.out())?.[1] as string;
    return dayText(dayNumber(Date.parse(poisoned)) - POISONED.day + day);
  };
  const links = (): readonly URL[] => [...started.out().matchAll(/^ +(http\S+)$/gm)].map(([, link]) => new URL(link as string));

  beforeAll(async () => {
    started = await startDemo();
  }, 2 * PATIENCE);
  afterAll(() => started.kill());

  test('shows 60 past days, a fleet that reports today, and what is true of all', async () => {
    interface Estimates {
      readonly from: string;
      readonly to: string;
      readonly answers: readonly { readonly truth?: number }[];
    }
    await expect.poll(async () => (await ask<Estimates>('metrics/browser/estimates')).to >= dayOf(DAYS)).toBe(true);
    const { from, answers } = await ask<Estimates>('metrics/browser/estimates');
    expect(from).toBe(dayOf(0));
    expect(answers[0]?.truth).toBeGreaterThan(0.3);
  });

  test(
    'the watch names the poisoned day, the wrong unit and the silent question, and nothing else',
    async () => {
      await expect.poll(async () => (await fetch(`${started.address}/v1/signs`)).status, { timeout: PATIENCE }).toBe(200); // of 60 days, at first
      const { signs } = await ask<{ readonly signs: readonly { readonly [member: string]: unknown }[] }>('signs');
      const past = signs.filter(({ day }) => (day as string) < dayOf(DAYS)).map(({ metric, kind, day }) => `${metric} ${kind} ${day}`);
      const silent = Array.from({ length: DAYS - 1 - SILENT.day }, (_, i) => `parts silence ${dayOf(SILENT.day + i)}`);
      expect(past.sort()).toEqual([...silent, `runtime value ${dayOf(RELEASE)}`, `word law ${dayOf(POISONED.day)}`].sort());
    },
    2 * PATIENCE,
  );

  test('the tour is of pages that are there, and its comparison finds that 2.0 raised dark mode', async () => {
    const [overview, release, poisoned] = links() as [URL, URL, URL];
    for (const link of links()) expect((await fetch(link)).status).toBe(200);
    expect([overview.pathname, poisoned.searchParams.get('from')]).toEqual(['/', expect.stringMatching(/^2/)]);
    interface Compared {
      readonly differences: readonly { readonly label: string; readonly isClear: boolean; readonly difference: { readonly low: number } }[];
    }
    const { differences } = await ask<Compared>(`${release.pathname.replace('/questions', 'metrics')}/compare${release.search}`);
    expect(differences).toEqual([expect.objectContaining({ label: 'true', isClear: true })]);
    expect(differences[0]?.difference.low).toBeGreaterThan(0);
  });

  describe('the tasks of a team', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    }, PATIENCE);
    afterAll(() => browser.close());

    test(
      "a device of one's own reports two answers once it shares them",
      async () => {
        const { context, complaints } = await watchedContext(browser);
        const page = await context.newPage();
        await page.goto(`${links().at(-1)}`);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Nothing is recorded, because you have not agreed.').waitFor();
        await page.getByRole('button', { name: 'Yes, share' }).click();
        await page.getByRole('radio', { name: 'Plus' }).check();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('These bytes were sent.').waitFor({ timeout: PATIENCE });
        await expect(page.locator('#bytes').textContent()).resolves.toMatch(/"reports":\[\["(plan|darkMode)","\w+"\],\["/);
        expect(complaints).toEqual([]);
        await context.close();
      },
      2 * PATIENCE,
    );

    const walks = [
      [1280, 'keyboard', byKeys],
      [390, 'mouse', byMouse],
      [1280, 'mouse', byMouse],
      [390, 'keyboard', byKeys],
    ] as const;
    test.each(walks.slice(0, 2 * EFFORT))(
      'are done at %i pixels by %s, in as few clicks as they should take, and what the page says is true',
      async (width, _, handOf) => {
        const { context, complaints } = await watchedContext(browser, { viewport: { width, height: 800 } });
        const page = await context.newPage();
        expect(wrongIn(await walk(handOf(page), started.address))).toEqual([]);
        expect(complaints).toEqual([]);
        await context.close();
      },
      2 * PATIENCE,
    );
  });

  test('stops on SIGINT with 0', async () => {
    expect(await started.stop()).toEqual([0, null]);
    expect(started.error()).toBe('');
  });
});
