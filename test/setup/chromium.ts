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

/** The popups of the address bar, which nobody sees here. Each window loads both, in a process that takes longer than most pages. */
export const POPUPS: readonly string[] = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** The features that Playwright disables. Chromium takes the last list that it is given, and so ours needs them. */
export const PLAYWRIGHT_DISABLES: readonly string[] = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/** The process that Chromium keeps ready for the next page. A page of another context has to start another one. */
const SPARE = 'SpareRendererForSitePerProcess';

/** The argument that disables features. */
export const disabling = (...features: readonly string[]): string => `--disable-features=${features.join()}`;

/** Starts a headless Chromium with a profile of its own, for tests of a page's appearance and behaviour. */
export function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('expected Chromium to be installed; npm test installs it');
  const args = [...CHROMIUM_ARGUMENTS, disabling(...PLAYWRIGHT_DISABLES, ...POPUPS, SPARE)];
  return chromium.launch({ executablePath, chromiumSandbox: false, args });
}
