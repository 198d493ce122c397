/** A worker and a service worker with telemetries of their own learn what the person decided in the page. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { inEachEngine } from '../engines/each.ts';
import type { Browser, Page } from '../engines/engine.ts';
import { few } from '../engines/engines.ts';
import { type RunningServer, startServer } from '../kit/transport-server.ts';

let script: string;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'workers-entry.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  script = outputFiles[0]?.text ?? '';
});

inEachEngine(({ launch }, test) => {
  let profile: string;
  let browser: Browser;
  let server: RunningServer;
  let page: Page;
  let metrics: string[]; // of the reports that arrived

  beforeAll(async () => {
    profile = await mkdtemp(join(tmpdir(), 'murmuration-workers-'));
    browser = await launch(profile);
  });
  afterAll(async () => {
    await browser.close();
    await rm(profile, { recursive: true });
  });
  beforeEach(async () => {
    metrics = [];
    const serve = (path: string, response: Parameters<NonNullable<Parameters<typeof startServer>[0]>>[1]): boolean => {
      if (path === '/entry.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
      else if (path === '/')
        response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><script src="/entry.js"></script>');
      return ['/', '/entry.js'].includes(path);
    };
    server = await startServer(serve, (_path, body) => {
      const { reports } = JSON.parse(body) as { readonly reports: readonly (readonly [string, string])[] };
      metrics.push(...reports.map(([metric]) => metric));
      return 204;
    });
    page = await browser.open(`${server.address}/`);
  });
  afterEach(async () => {
    await page.close();
    await server.close();
  });

  const both = (message: string): Promise<readonly unknown[]> => page.evaluate(`commands.both('${message}')`);

  test('when the page wakes them', async ({ expect }) => {
    await expect.poll(() => both('state')).toEqual(['ask', 'ask']);
    expect(await both('record')).toEqual(['no-consent', 'no-consent']);
    await page.evaluate("commands.decide('grant')");
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => both('state')).toEqual(['granted', 'granted']);
    expect(await both('record')).toEqual(['recorded', 'recorded']);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => [...metrics].sort()).toEqual(['service', 'worker']);
    await page.evaluate("commands.decide('deny')");
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => both('state')).toEqual(['denied', 'denied']);
  });

  test('when they flush by themselves', async ({ expect }) => {
    await expect.poll(() => both('state')).toEqual(['ask', 'ask']);
    await page.evaluate("commands.decide('grant')");
    expect(await both('flush')).toEqual(['granted', 'granted']);
    await page.evaluate("commands.decide('deny')");
    expect(await both('flush')).toEqual(['denied', 'denied']);
  });
}, few);
