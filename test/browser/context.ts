/** A context of Chromium whose pages are watched. */

import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

/** Milliseconds after which a page that does not become what is expected is wrong, and not slow. */
export const PATIENCE = 120_000;

/** A new context, and what its pages complain of: errors and warnings of the console, policy violations among them. */
export async function watchedContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ readonly context: BrowserContext; readonly complaints: readonly string[] }> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return { context, complaints };
}
