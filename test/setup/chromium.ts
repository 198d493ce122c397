/** Chromium as the tests start it. */

import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from './places.ts';

/** Arguments under which it asks nothing of the network but what the test does. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a headless Chromium with a profile of its own, for tests of what a page looks like and does. */
export function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('expected Chromium to be installed; npm test installs it');
  return chromium.launch({ executablePath, chromiumSandbox: false, args: [...CHROMIUM_ARGUMENTS] });
}
