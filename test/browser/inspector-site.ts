/** The site of the components' tests: a page, under the policy that they promise to work under, and a collector that takes everything. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { components } from '../kit/components.ts';
import { launchChromium } from '../setup/chromium.ts';
import { watchedContext } from './context.ts';

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'";
const htmlOf = (
  main: string,
): string => `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Notes</title>
<link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script>
<main><h1>Notes</h1>${main}</main></html>`;
const BUTTONS = '<button id="open">Privacy</button> <button id="answer">Answer</button> <button id="send">Send</button>';

/** A page that follows what the person likes, with an accent of its own. */
const STYLE =
  ':root { color-scheme: light dark; font-family: system-ui } murmuration-inspector { --murmuration-accent: light-dark(#6a1fb0, #c9a2ff) }';

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The bodies that the collector has taken. */
  readonly sent: readonly string[];
  /** What the pages complained of. */
  readonly complaints: readonly string[];
}

interface Site {
  /** A new device opens the page. */
  readonly visit: (style?: string) => Promise<Visit>;
  readonly close: () => Promise<void>;
}

/** @param main what the page holds @param script the page's script */
async function openSite(main: string, script: URL): Promise<Site> {
  const browser: Browser = await launchChromium();
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(script)],
    nodePaths: [fileURLToPath(new URL('../../examples/node_modules', import.meta.url))], // React
    bundle: true,
    format: 'esm',
    target: 'es2022',
    plugins: [components],
    define: { __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
    write: false,
  });
  let sent: string[] = [];
  let css = STYLE;
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      sent.push(Buffer.concat(chunks).toString());
      response.writeHead(204).end();
      return;
    }
    const files: { readonly [path: string]: readonly [type: string, body: string] } = {
      '/': ['text/html', htmlOf(main)],
      '/page.js': ['text/javascript', outputFiles[0]?.text ?? ''],
      '/page.css': ['text/css', css],
    };
    const [type, body] = files[request.url?.replace(/\?.*/, '') ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    visit: async (style = STYLE) => {
      sent = [];
      css = style;
      const { context, complaints } = await watchedContext(browser, { viewport: { width: 390, height: 900 } });
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      return { context, page, sent, complaints };
    },
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

/** What tests of the inspector do on its page. */
export interface Visiting {
  /** Leaves, and visits a page of another style as a new device. */
  readonly restyle: (style: string) => Promise<void>;
  readonly click: (name: string) => Promise<void>;
  readonly share: () => Locator;
  readonly says: (text: string | RegExp) => Promise<void>;
  readonly bytes: () => Locator;
}

/** Opens a site for the tests of a file, and a visit for each of them, whose complaints fail the test. @param begin takes each visit */
export function visiting(
  begin: (visit: Visit) => void,
  main: string = BUTTONS,
  script: URL = new URL('inspector-page.ts', import.meta.url),
): Visiting {
  let site: Site;
  let visit: Visit;
  const open = async (style?: string): Promise<void> => {
    visit = await site.visit(style);
    begin(visit);
  };
  beforeAll(async () => {
    site = await openSite(main, script);
  });
  afterAll(() => site.close());
  beforeEach(() => open());
  afterEach(async () => {
    await visit.context.close();
    expect(visit.complaints).toEqual([]);
  });
  return {
    restyle: async (style) => {
      await visit.context.close();
      await open(style);
    },
    click: (name) => visit.page.getByRole('button', { name, exact: true }).click(),
    share: () => visit.page.getByRole('switch', { name: 'Share randomized answers' }),
    says: (text) => visit.page.getByText(text).first().waitFor(),
    bytes: () => visit.page.getByText('Show the exact').first(),
  };
}
