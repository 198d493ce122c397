/** The inspector in a real Chromium, under the policy that it promises to work under. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../setup/chromium.ts';
import { watchedContext } from './context.ts';

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'";
const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Notes</title>
<link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script>
<main><h1>Notes</h1><button id="open">Privacy</button> <button id="answer">Answer</button> <button id="send">Send</button></main></html>`;

let browser: Browser;
let server: Server;
let context: BrowserContext;
let page: Page;
let sent: string[];
let complaints: readonly string[];

beforeAll(async () => {
  browser = await launchChromium();
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('inspector-page.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const files: { readonly [path: string]: readonly [type: string, body: string] } = {
    '/': ['text/html', html],
    '/page.js': ['text/javascript', outputFiles[0]?.text ?? ''],
    '/page.css': [
      'text/css',
      ':root { color-scheme: light dark; font-family: system-ui } [data-murmuration] { --murmuration-accent: light-dark(#6a1fb0, #c9a2ff) }',
    ],
  };
  server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      sent.push(Buffer.concat(chunks).toString());
      response.writeHead(204).end();
      return;
    }
    const [type, body] = files[request.url?.replace(/\?.*/, '') ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  await browser.close();
  server.close();
});

beforeEach(async () => {
  sent = [];
  ({ context, complaints } = await watchedContext(browser, { viewport: { width: 390, height: 900 } }));
  page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

const click = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const share = () => page.getByRole('switch', { name: 'Share randomized answers' });

test('shows what is asked, what is spent and the very bytes that are sent next, and turns everything off', async () => {
  await click('Privacy');
  await page.getByText('You have not decided.').waitFor();
  for (const asked of ['Is dark mode on?', 'Which plan?', 'Home page']) await page.getByText(asked).waitFor();
  await page.getByText('Nothing waits to be sent.').waitFor();
  await page.getByText('A year of answering everything adds up to ε\u00a018 at most.').waitFor(); // 13 x 1, 1 and 4
  expect(await share().getAttribute('aria-checked')).toBe('false');

  await share().click();
  await page.getByText('You share.').waitFor();
  await click('Answer');
  await page.getByText('ε\u00a06 of 6 in any 30 days').waitFor();
  await page.getByText('1 a report, once a month; 1 spent now').waitFor();
  await page.getByText('Answered; it is asked only once.').waitFor();
  expect(await page.getByText('randomized, it says:').count()).toBe(2);
  await page.getByText('The very bytes:').click();
  const shown = await page.locator('pre').textContent();
  expect(shown).not.toContain('zephyrous');
  await click('Send');
  await page.getByText('Nothing waits to be sent.').waitFor();
  expect(sent).toEqual([shown]);

  await share().click();
  await page.getByText('You do not share.').waitFor();
  await page.reload();
  await click('Privacy');
  await page.getByText('You do not share.').waitFor();
});

test('tells of what is reported where nothing is answered, and of the day that it waits for', async () => {
  await page.goto(new URL('/?event', page.url()).href);
  await click('Privacy');
  await share().click();
  await page.getByText('Where nothing is answered, “false” is reported').waitFor();
  await page.getByText(/Waits for \d{4}-\d\d-\d\d or later\./).waitFor();
});

test('erases everything but a tombstone, when it is asked to', async () => {
  await click('Privacy');
  await share().click();
  await click('Answer');
  await page.getByText('The very bytes:').waitFor();
  await click('Erase everything');
  await page.getByText('You do not share.').waitFor();
  await page.getByText('Nothing waits to be sent.').waitFor();
  await page.getByText('ε\u00a06 of 6 in any 30 days').waitFor();
  expect(await page.evaluate(() => Object.keys(JSON.parse(localStorage['murmuration:notes']).accounts.home))).toEqual(['day', 'spent']);
});

test('works in a second tab, which shows what the first has stored, and turns it off there at once', async () => {
  await click('Privacy');
  await share().click();
  await click('Answer');
  await page.getByText('The very bytes:').click();
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByRole('button', { name: 'Privacy' }).click();
  await second.getByText('The very bytes:').click();
  expect(await second.locator('pre').textContent()).toBe(await page.locator('pre').textContent());
  await second.getByRole('switch').click();
  await page.getByText('You do not share.').waitFor();
  await page.getByText('Nothing waits to be sent.').waitFor();
  expect(await page.evaluate(() => JSON.parse(localStorage['murmuration:notes']).outbox)).toEqual([]);
  await page.bringToFront();
  await click('Send');
  expect(sent).toEqual([]);
});

test('erases what waits when it is turned off', async () => {
  await click('Privacy');
  await share().click();
  await click('Answer');
  await page.getByText('The very bytes:').waitFor();
  await share().click();
  await page.getByText('Nothing waits to be sent.').waitFor();
  await click('Send');
  expect(sent).toEqual([]);
});

test('can be used by keyboard and screen reader: no violation of axe, focus goes in and comes back, Escape closes', async () => {
  await page.evaluate(axe.source);
  await click('Privacy');
  await share().click();
  await click('Answer');
  await page.getByText('The very bytes:').click();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-murmuration'))).toBe('inspector');
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const violations = await page.evaluate(async () => {
      const { axe: checker } = window as unknown as {
        readonly axe: { run(): Promise<{ readonly violations: readonly { readonly id: string }[] }> };
      };
      return (await checker.run()).violations.map(({ id }) => id);
    });
    expect(violations).toEqual([]);
  }
  await page.keyboard.press('Escape');
  expect(await page.locator('[data-murmuration]').count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('open');
});
