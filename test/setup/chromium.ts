/** Starts Chromium for the tests. */

import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from './places.ts';

/** Arguments that stop Chromium's own network requests, so that only the test's remain. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a headless Chromium with a profile of its own, for tests of a page's appearance and behaviour. */
export function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('expected Chromium to be installed; npm test installs it');
  return chromium.launch({ executablePath, chromiumSandbox: false, args: [...CHROMIUM_ARGUMENTS] });
}
