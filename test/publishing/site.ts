/** A site that serves a folder, and takes the reports of its pages as a collector does. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { watchedContext } from '../browser/context.ts';

/** A site on 127.0.0.1. */
export interface Site {
  readonly address: string;
  /** The metrics of the reports that have arrived. */
  readonly arrived: string[];
  readonly close: () => Promise<void>;
}

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
};

/** Serves a folder. */
export async function serveSite(folder: string): Promise<Site> {
  const arrived: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { reports } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly reports: readonly (readonly [string, string])[] };
      arrived.push(...reports.map(([metric]) => metric));
      response.writeHead(204).end();
      return;
    }
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const type = TYPES[extname(file)];
    const text = type && (await readFile(join(folder, file)).catch(() => undefined));
    if (text) response.writeHead(200, { 'content-type': type }).end(text);
    else response.writeHead(pathname === '/favicon.ico' ? 204 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Opens a page of a site as a new device: agrees, records, waits until each metric has arrived, and refuses. The page has set
 * `telemetry` and `record`, which records each metric once.
 *
 * @returns what went wrong on the page
 */
export async function visit(browser: Browser, site: Site, path: string, metrics: readonly string[]): Promise<readonly string[]> {
  const before = site.arrived.length;
  const { context, complaints } = await watchedContext(browser);
  const page = await context.newPage();
  await page.goto(`${site.address}${path}`);
  await page.waitForFunction('globalThis.telemetry');
  if (await page.evaluate('typeof process !== "undefined"')) throw new Error('expected a page without process');
  await page.evaluate('telemetry.consent.grant(); record()');
  while (site.arrived.length < before + metrics.length) {
    if (complaints.length > 0) return complaints;
    await page.waitForTimeout(50);
  }
  const state = await page.evaluate('telemetry.consent.deny(), telemetry.consent.state');
  if (state !== 'denied') throw new Error(`expected consent to be denied, got ${state}`);
  const found = site.arrived.slice(before).sort();
  if (found.join() !== [...metrics].sort().join()) throw new Error(`expected reports of ${metrics}, got ${found}`);
  await context.close();
  return complaints;
}

/**
 * Opens a site's first page as a new device and agrees to what the component of `init` asks. Waits until a report has arrived, and looks
 * that the next visit asks nothing.
 *
 * @param arrived the metrics of reports that have arrived
 * @returns what went wrong on the pages
 */
export async function agree(
  browser: Browser,
  address: string,
  arrived: () => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { context, complaints } = await watchedContext(browser);
  const page = await context.newPage();
  await page.goto(`${address}/`);
  const share = page.getByRole('button', { name: 'Share', exact: true });
  await share.click().catch((error: Error) => {
    throw new Error([error.message, ...complaints].join('\n'));
  });
  while ((await arrived()).length === 0 && complaints.length === 0) await page.waitForTimeout(50);
  await share.waitFor({ state: 'hidden' });
  await page.reload({ waitUntil: 'networkidle' });
  if (await share.isVisible()) throw new Error('expected no question on the next visit, got one');
  await context.close();
  return complaints;
}
