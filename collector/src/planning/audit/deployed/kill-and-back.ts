/**
 * Kill and back in an engine, with its own clock and random numbers: the browser is killed at several moments after answers, started again
 * with its profile, and the page is left and returned to. All of that happens in one slot, so each metric may be reported once.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { dayNumber } from '@murmuration/shared';
import type { BrowserContext, Page } from 'playwright-core';
import { batchesOf } from './batches.ts';
import { launch, loadPlaywright } from './browser.ts';
import { listed, type Row, row } from './check.ts';
import { answerOf, type Sent, type Site } from './site.ts';
import { act, touch } from './touch.ts';

/** Milliseconds in which a batch is sent: one to five seconds later. */
const SENDING = 7_000;

/** Milliseconds from the last answer to each kill: at once, before and while a batch is sent, and after that. */
const MOMENTS: readonly number[] = [0, 400, 2_500, SENDING];

/** Milliseconds that an element may take which need not be there. */
const IMPATIENCE = 2_000;

type Parts = Pick<Site, 'url' | 'plan' | 'files' | 'storageState'>;

interface Life {
  readonly context: BrowserContext;
  readonly kill: () => Promise<void>;
}

/** Ends all processes that have a folder in their command line. */
async function killAll(folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: 1e8 });
  for (const line of stdout.split('\n').filter((each) => each.includes(folder)))
    try {
      process.kill(Number.parseInt(line, 10), 'SIGKILL');
    } catch {
      // It ended on its own.
    }
}

async function begin(engine: string, profile: string): Promise<Life> {
  if (engine === 'chromium') {
    const { browser, close } = await launch({ profile, cachesPages: true });
    return { context: browser.contexts()[0] as BrowserContext, kill: close };
  }
  const context = await (await loadPlaywright())[engine as 'firefox' | 'webkit'].launchPersistentContext(profile);
  return { context, kill: () => killAll(profile) };
}

/** Cookies and storage to begin with, which a profile keeps from its first life on. */
async function restore(context: BrowserContext, file: string): Promise<void> {
  type State = Awaited<ReturnType<BrowserContext['storageState']>>;
  const { cookies, origins } = JSON.parse(await readFile(file, 'utf8')) as State;
  await context.addCookies(cookies);
  const entries = origins.map(({ origin, localStorage }) => [origin, localStorage] as const);
  await context.addInitScript(`for (const [origin, items] of ${JSON.stringify(entries)})
    if (origin === location.origin) for (const { name, value } of items) if (localStorage.getItem(name) === null) localStorage.setItem(name, value);`);
}

async function visit(page: Page, { url, plan }: Parts): Promise<void> {
  if (page.url() !== url) await page.goto(url);
  page.setDefaultTimeout(IMPATIENCE);
  if (plan.consent !== undefined) await touch(page, plan.consent, '', 'consent').catch(() => undefined); // a page may not ask again
  page.setDefaultTimeout(30_000);
  await act(
    (...touched) => touch(page, ...touched),
    plan,
    (_, [answer]) => answer,
  );
}

/** The lives of a profile, and the reports of all of them. */
async function live(engine: string, profile: string, site: Parts): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  for (const moment of [...MOMENTS, undefined]) {
    const { context, kill } = await begin(engine, profile);
    try {
      await context.route(
        ({ href }) => answerOf(site.files, href) !== undefined,
        async (route) => {
          const request = route.request();
          const answer = answerOf(site.files, request.url());
          if (answer?.status === 204) sent.push({ isReport: true, method: request.method(), body: request.postData() ?? '' } as Sent);
          await route.fulfill(answer);
        },
      );
      if (site.storageState !== undefined) await restore(context, site.storageState);
      const page = await context.newPage();
      await visit(page, site);
      if (moment !== undefined) await sleep(moment);
      else {
        await sleep(SENDING);
        await page.goto('about:blank');
        await page.goBack({ waitUntil: 'commit' });
        await visit(page, site);
        await sleep(SENDING);
      }
    } finally {
      await kill();
    }
  }
  return sent;
}

/** The row of an engine. */
export async function killAndBack(engine: string, site: Parts): Promise<Row> {
  const name = `kill and back, ${engine}`;
  if (site.plan.acts === undefined) return row(name, 'not tested', 'the plan names no answers');
  const profile = await mkdtemp(join(tmpdir(), 'murmuration-audit-'));
  const today = dayNumber(Date.now());
  let sent: readonly Sent[];
  try {
    sent = await live(engine, profile, site);
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    return row(name, 'not tested', `it could not be driven (npx playwright-core install ${engine} installs one): ${line}`);
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  }
  const batches = batchesOf(sent);
  const counts = new Map<string, number>();
  for (const { batch } of batches) for (const [metric] of batch?.reports ?? []) counts.set(metric, (counts.get(metric) ?? 0) + 1);
  if (counts.size === 0) return row(name, 'not tested', 'no report was sent. Through a relay, they leave on a later day');
  if (dayNumber(Date.now()) !== today) return row(name, 'not tested', 'a day ended meanwhile, and slots with it');
  const faults = [...counts].filter(([, count]) => count > 1).map(([metric, count]) => `${count} reports of ${metric}`);
  const ids = batches.map(({ batch }) => batch?.batch);
  if (new Set(ids).size < ids.length) faults.push('batches of one id with different bytes');
  if (faults.length > 0) return row(name, 'failed', `killed ${MOMENTS.length} times and left once in one slot, it sent ${listed(faults)}`);
  return row(
    name,
    'passed',
    `killed ${MOMENTS.length} times and left once in one slot, it sent one report each of ${listed([...counts.keys()])}`,
  );
}
