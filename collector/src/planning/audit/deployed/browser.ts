/**
 * The browser of an audit: a Chromium of its own, whose messages to Playwright pass through here. So workers are prepared before Playwright
 * lets them run. Playwright is an optional peer, so it is loaded when an audit runs.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Browser, BrowserType, ConnectOverCDPTransport } from 'playwright-core';
import { UsageError } from '../../../base/fault.ts';
import { type Message, Workers } from './workers.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium of the system: that of the variable CHROMIUM, or one on the path. */
const systemPath = (): string | undefined =>
  [
    process.env['CHROMIUM'] ?? '',
    ...(process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))),
  ].find((path) => path !== '' && existsSync(path));

/**
 * Features that only cost, such as processes for popups and for pages to come, and those that change addresses, storage or requests. Chromium
 * takes the last list that it is given.
 */
const DISABLED =
  'SpareRendererForSitePerProcess,WebUIOmniboxPopup,WebUIOmniboxAimPopup,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,OptimizationHints,MediaRouter,ThirdPartyStoragePartitioning,PaintHolding,AvoidCorsURLLoaderRestartOnRedirect';

const NO_CACHE = '--disable-back-forward-cache';
const NO_SCREEN = '--headless';

/** A browser without a screen that asks nothing, reaches nothing on its own and slows nothing down. Pages see a browser that nothing drives. */
const SWITCHES: readonly string[] = [
  NO_SCREEN,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-blink-features=AutomationControlled',
  `--disable-features=${DISABLED}`,
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  NO_CACHE,
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--metrics-recording-only',
  '--mute-audio',
  '--hide-scrollbars',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
  '--no-startup-window',
  '--remote-debugging-pipe',
];

/** Playwright. @throws {UsageError} if it is missing */
export async function loadPlaywright(): Promise<Readonly<Record<'chromium' | 'firefox' | 'webkit', BrowserType>>> {
  for (const name of ['playwright-core', 'playwright'])
    try {
      return (await import(name)) as Awaited<ReturnType<typeof loadPlaywright>>;
    } catch {
      // The other one may be there.
    }
  throw new UsageError('audit --url: expected the package playwright-core or playwright beside @murmuration/collector, got none');
}

/** The messages of a browser: JSON, each with a zero at its end. */
function transportOf(child: ChildProcess, workers: Workers): ConnectOverCDPTransport {
  const [, , , requests, answers] = child.stdio as unknown as [unknown, unknown, unknown, Writable, Readable];
  const write = (message: object): unknown => requests.write(`${JSON.stringify(message)}\0`);
  const transport: ConnectOverCDPTransport = { send: write, close: () => child.kill() };
  workers.begin(write);
  requests.on('error', () => undefined); // a browser that ended
  let rest: Buffer[] = [];
  answers.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const message = JSON.parse(Buffer.concat([...rest, chunk.subarray(start, end)]).toString()) as Message;
      [rest, start] = [[], end + 1];
      if (workers.passes(message)) transport.onmessage?.(message);
    }
    rest.push(chunk.subarray(start));
  });
  child.once('exit', () => transport.onclose?.('the browser ended'));
  return transport;
}

/** A browser, and the workers in it. */
export interface Launched {
  readonly browser: Browser;
  readonly workers: Workers;
  readonly close: () => Promise<void>;
}

/** Settings of a browser. */
interface LaunchOptions {
  /** A folder that outlives the browser; a folder of its own otherwise. */
  readonly profile?: string;
  /** True if pages are kept when they are left, as they are for people. */
  readonly cachesPages?: boolean;
  /** True if a person sees and uses it. */
  readonly isShown?: boolean;
}

/** Starts a Chromium. @throws {UsageError} if Playwright or a browser is missing */
export async function launch({ profile, cachesPages = false, isShown = false }: LaunchOptions = {}): Promise<Launched> {
  const { chromium } = await loadPlaywright();
  const path = systemPath() ?? chromium.executablePath();
  const folder = profile ?? (await mkdtemp(join(tmpdir(), 'murmuration-audit-')));
  const switches = SWITCHES.filter((each) => !(cachesPages && each === NO_CACHE) && !(isShown && each === NO_SCREEN));
  const child = spawn(path, [...switches, `--user-data-dir=${folder}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(`one that ended with ${code ?? signal}`));
  });
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    if (profile === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const workers = new Workers();
    const failed = ended.then((why) => Promise.reject(new Error(why)));
    const browser = await Promise.race([chromium.connectOverCDP(transportOf(child, workers)), failed]);
    failed.catch(() => undefined);
    return { browser, workers, close };
  } catch (error) {
    await close();
    const [line] = (error as Error).message.split('\n');
    throw new UsageError(`audit --url: expected a Chromium (npx playwright install chromium, or its path in CHROMIUM), got: ${line}`);
  }
}

/** The `User-Agent` of the same browser with a window. */
export const userAgentOf = (browser: Browser): string =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version().split('.')[0]}.0.0.0 Safari/537.36`;
