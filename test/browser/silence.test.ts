/** Uploads that get no answer in a real Chromium: the console tells a policy, an ad blocker, missing headers and a server that is off apart. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../kit/transport-server.ts';
import { launchChromium } from '../setup/chromium.ts';
import { PATIENCE } from './context.ts';

const APP = `
import { createTelemetry, defineSchema, flag, memoryStorage } from '@murmuration/client';
const schema = defineSchema({ app: 'silence', version: 1, budget: { epsilon: 1, per: 'month' },
  metrics: { dark: flag({ epsilon: 1, description: 'Is it dark?' }) } });
const telemetry = createTelemetry({ schema, endpoint: decodeURIComponent(location.hash.slice(1)), storage: memoryStorage(), debug: true });
telemetry.consent.grant();
telemetry.record('dark', true);
telemetry.flush();
`;

let browser: Browser;
let page: RunningServer;
let collector: RunningServer;
let silent: RunningServer;
beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: APP, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
  });
  page = await startServer((path, response) => {
    if (path === '/app.js') response.end(outputFiles[0]?.text);
    else
      response
        .writeHead(200, {
          'content-type': 'text/html',
          ...(path === '/strict' && { 'content-security-policy': "default-src 'self'; img-src data:" }),
        })
        .end('<!doctype html><link rel=icon href=data:><script src="/app.js"></script>');
    return true;
  });
  const readable = { 'access-control-allow-origin': '*', 'content-type': 'application/json' };
  collector = await startServer((path, response) => {
    response.writeHead(path.startsWith('/.well-known/') ? 200 : 204, readable).end(path.startsWith('/.well-known/') ? '{}' : '');
    return true;
  });
  silent = await startServer((_, response) => {
    response.writeHead(204).end();
    return true;
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  for (const server of [page, collector, silent]) await server.close();
});

/** What the console says of the upload. */
async function said(path: string, endpoint: string, block?: (route: Route) => Promise<void>): Promise<string> {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE);
  const tab = await context.newPage();
  if (block) await tab.route('**/v1/reports', block);
  const told = tab.waitForEvent('console', (message) => /doctor|delivered/i.test(message.text()));
  await tab.goto(`${page.address}${path}#${encodeURIComponent(endpoint)}`);
  const text = (await told).text();
  await context.close();
  return text;
}

test('each cause is told by its name, and doctor with the address', async () => {
  const { address } = collector;
  expect(await said('/', address)).toContain('Delivered');
  expect(await said('/strict', address)).toContain(`Policy of this page forbids the upload: add ${address} to its`);
  const blocked = await said('/', address, (route) => route.abort('blockedbyclient'));
  expect(blocked).toContain('an ad blocker or another extension stops it');
  expect(blocked).toContain(`\`npx @murmuration/client doctor ${address}/\` examines the collector.`);
  expect(await said('/', silent.address)).toContain('takes `access-control-allow-origin` away');
  const off = await startServer();
  await off.close();
  expect(await said('/', off.address)).toContain('Is the collector running at `endpoint`?');
});
