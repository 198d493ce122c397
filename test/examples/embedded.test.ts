/** A collector in an Express app: its routes, its dashboard and its probes work under a prefix, and the app's own routes as before. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { createTelemetry, memoryStorage } from '@murmuration/client';
import { createCollector } from '@murmuration/collector';
import { schema } from '@murmuration/examples/cli/schema';
import { type EmbeddedApp, serveEmbedded } from '@murmuration/examples/embedded/serve';
import express from 'express';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchedContext } from '../browser/context.ts';
import { counted } from '../kit/counted.ts';
import { launchChromium } from '../setup/chromium.ts';

let folder: string;
let app: EmbeddedApp;

beforeEach(async () => {
  folder = mkdtempSync(`${tmpdir()}/murmuration-embedded-`);
  app = await serveEmbedded(0, { data: `${folder}/data`, leastFree: 0 });
});

afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

/** A device whose reports arrive under the prefix. */
async function report(): Promise<void> {
  const telemetry = createTelemetry({ schema, endpoint: `${app.address}/telemetry`, storage: memoryStorage() });
  telemetry.consent.grant();
  telemetry.record('command', 'add');
  await telemetry.flush();
  telemetry.close();
}

test('devices report to the prefix, and the app reads, probes and counts there', async () => {
  await report();
  await expect.poll(() => counted(`${app.address}/telemetry`)).toMatchObject({ command: 1 });
  expect((await fetch(`${app.address}/telemetry/readyz`)).status).toBe(200);
  expect(await (await fetch(`${app.address}/telemetry/metrics`)).text()).toContain('murmuration_batches_counted_total 1');
  const unknown = await fetch(`${app.address}/telemetry/nowhere`);
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: 'not-found' }]);
});

test("the app's own routes and headers are untouched", async () => {
  const page = await fetch(app.address);
  expect([page.status, await page.text(), page.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining('Notes'),
    null,
  ]);
  const saved = await fetch(`${app.address}/notes`, { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } });
  expect(await saved.json()).toEqual({ saved: { a: 1 } });
  expect((await fetch(`${app.address}/v1/metrics`)).status).toBe(404);
});

test('the dashboard works under the prefix, with and without a slash at its end', async () => {
  await report();
  const browser = await launchChromium();
  const { context, complaints } = await watchedContext(browser);
  try {
    const page = await context.newPage();
    for (const path of ['/telemetry', '/telemetry?a=1?b', '/telemetry/']) {
      await page.goto(`${app.address}${path}`);
      await page.getByText('command').first().waitFor();
      expect([new URL(page.url()).pathname, new URL(page.url()).search]).toEqual(['/telemetry/', path.slice(10).replace('/', '')]);
    }
    await page.goto(`${app.address}/telemetry/questions/command`);
    await page.getByRole('link', { name: 'All questions' }).click();
    await page.waitForURL(`${app.address}/telemetry/`);
    await page.getByText('command').first().waitFor();
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
    await browser.close();
  }
});

test('behind a parser that has read the body, the log says what is wrong, and the device keeps its batch', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const collector = await createCollector({ open: true, schemas: [schema.document], data: `${folder}/other`, leastFree: 0, log });
  const host = express().use(express.text({ type: '*/*' }), collector.router);
  const server = host.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/reports`;
  const response = await fetch(url, { method: 'POST', body: '{}' });
  expect([response.status, await response.json()]).toMatchObject([500, { error: 'internal' }]);
  expect(lines.join('')).toContain('mount the collector before it');
  server.close();
  await collector.close();
});
