/** The browser of an audit. Playwright is an optional peer, so it is loaded when an audit runs. */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser, BrowserType } from 'playwright-core';
import { UsageError } from '../../../base/fault.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium of the system: that of the variable CHROMIUM, or one on the path. */
const systemPath = (): string | undefined =>
  [
    process.env['CHROMIUM'] ?? '',
    ...(process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))),
  ].find((path) => path !== '' && existsSync(path));

/**
 * Features that only cost: processes for popups and for pages to come. The others are those that Playwright disables and an audit needs,
 * because Chromium takes the last list that it is given: no address may become another one.
 */
const DISABLED =
  'SpareRendererForSitePerProcess,WebUIOmniboxPopup,WebUIOmniboxAimPopup,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,OptimizationHints,MediaRouter,ThirdPartyStoragePartitioning,PaintHolding';

async function loadChromium(): Promise<BrowserType> {
  for (const name of ['playwright-core', 'playwright'])
    try {
      return ((await import(name)) as { readonly chromium: BrowserType }).chromium;
    } catch {
      // The other one may be there.
    }
  throw new UsageError('audit --url: expected the package playwright-core or playwright beside @murmuration/collector, got none');
}

/** Starts a headless Chromium. Pages see a browser that nothing drives. @throws {UsageError} if Playwright or a browser is missing */
export async function launch(): Promise<Browser> {
  const chromium = await loadChromium();
  const executablePath = systemPath();
  try {
    return await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      chromiumSandbox: false,
      args: [
        '--disable-blink-features=AutomationControlled',
        '--disable-background-networking',
        '--no-first-run',
        '--disable-gpu',
        `--disable-features=${DISABLED}`,
      ],
    });
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    throw new UsageError(`audit --url: expected a Chromium (npx playwright install chromium, or its path in CHROMIUM), got: ${line}`);
  }
}

/** The `User-Agent` of the same browser with a window. */
export const userAgentOf = (browser: Browser): string =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version().split('.')[0]}.0.0.0 Safari/537.36`;
