/** The development panel on packed tarballs, with a real development server of Vite, in Chromium: what it shows, and what it keeps to itself. */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { build, createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchedContext } from '../browser/context.ts';
import { launchChromium } from '../setup/chromium.ts';
import type { Plugin } from './bundlers.ts';
import { installPacked, newClientApp, type Packed, packOnce } from './packed.ts';

const SCHEMA = `
import { choice, defineSchema, flag, mean, text } from '@murmuration/client';
export const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 4, per: 'year' }, metrics: {
  dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
  plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan? <b>' }),
  speed: mean([0, 60], { epsilon: 1, description: 'How long does it take to open?' }),
  page: text({ epsilon: 1, description: 'Which page?' }),
} });
`;
const TELEMETRY = `
import { createTelemetry } from '@murmuration/client';
import { schema } from './schema.js';
export const telemetry = createTelemetry({ schema, endpoint: '/collector', upload: 'soon' });
window.telemetry = telemetry;
`;
/** Another telemetry, in a component of React that StrictMode mounts twice. */
const REACT = `
import { choice, defineSchema, flag } from '@murmuration/client';
import { useRecordOnce, useTelemetry } from '@murmuration/client/react';
import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
const schema = defineSchema({ app: 'mail', version: 2, budget: { epsilon: 1, per: 'year' }, metrics: {
  open: flag({ epsilon: 1, description: 'Is it open?' }),
} });
const options = { schema, endpoint: '/collector' };
function App() {
  window.mail = useTelemetry(options);
  useRecordOnce(options, 'open', true);
  return 'Mail';
}
createRoot(document.getElementById('root')).render(createElement(StrictMode, null, createElement(App)));
`;
const page = (script: string): string => `<!doctype html><html lang="en"><head><title>Notes</title><link rel="icon" href="data:,"><style>
  * { color: red !important; font-size: 40px !important; } html { background: white; } @media (prefers-color-scheme: dark) { html { background: black; } }
  </style></head><body><h1>Notes</h1><main id="root"></main>${script && `<script type="module" src="${script}"></script>`}</body></html>`;

const VITE = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url));

let packed: Packed;
let browser: Browser;
let plugin: Plugin;
let pluginPath: string;
const servers: ViteDevServer[] = [];
/** What apps have sent to a collector. */
const sent: string[] = [];

/** A project with the packed client, and perhaps the collector. */
async function project(withCollector: boolean): Promise<string> {
  const app = await newClientApp(packed);
  if (withCollector) await installPacked(packed, app, ['collector']);
  for (const name of ['react', 'react-dom'])
    await symlink(fileURLToPath(new URL(`../../examples/node_modules/${name}`, import.meta.url)), join(app, 'node_modules', name));
  const files = {
    'package.json': '{ "type": "module" }',
    'schema.js': SCHEMA,
    'telemetry.js': TELEMETRY,
    'both.js': `import './telemetry.js';\n${REACT}`,
    'index.html': page('/telemetry.js'),
    'both.html': page('/both.js'),
    'none.html': page(''),
  };
  for (const [file, text] of Object.entries(files)) await writeFile(join(app, file), text);
  return app;
}

/** A development server, at a path of its own. */
async function serve(app: string): Promise<string> {
  const server = await createServer({
    root: app,
    base: '/app/',
    configFile: false,
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1' },
    plugins: [
      plugin.vite(),
      {
        name: 'collector',
        configureServer: ({ middlewares }) => {
          middlewares.use(async (request, response, next) => {
            if (!request.url?.startsWith('/collector/')) return next();
            const chunks: Buffer[] = [];
            for await (const chunk of request) chunks.push(chunk as Buffer);
            sent.push(Buffer.concat(chunks).toString());
            response.writeHead(204).end();
          });
        },
      },
    ],
  });
  servers.push(server);
  await server.listen();
  return `${server.resolvedUrls?.local[0]}`;
}

let address: string;
beforeAll(async () => {
  [packed, browser] = await Promise.all([packOnce(), launchChromium()]);
  const app = await project(true);
  pluginPath = createRequire(join(app, 'main.js')).resolve('@murmuration/client/plugin');
  plugin = (await import(pathToFileURL(pluginPath).href)) as Plugin;
  address = await serve(app);
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await browser?.close();
});

/** Opens a page whose shadow roots can be looked into, unless they are to stay closed. */
async function opened(path: string, options: BrowserContextOptions = {}, isClosed = false) {
  const { context, complaints } = await watchedContext(browser, options);
  if (!isClosed)
    await context.addInitScript(() => {
      const attach = Element.prototype.attachShadow;
      Element.prototype.attachShadow = function (init) {
        return attach.call(this, { ...init, mode: 'open' });
      };
    });
  const opened = await context.newPage();
  const printed: string[] = [];
  opened.on('console', (message) => printed.push(message.text()));
  const requests: string[] = [];
  opened.on('request', (request) => requests.push(`${request.url()} ${request.postData() ?? ''}`));
  opened.on('websocket', (socket) => socket.on('framesent', ({ payload }) => requests.push(String(payload))));
  await opened.goto(new URL(path, address).href);
  return { page: opened, complaints, printed, requests };
}

const toggle = (page: Page): Promise<void> => page.keyboard.press('Control+Alt+KeyM');
const panel = (page: Page) => page.locator('murmuration-panel section');
/** The cells of a record's row. */
const rowOf = (page: Page, metric: string, nth = 0) =>
  panel(page).locator('table').first().locator('tbody tr').filter({ hasText: metric }).nth(nth).locator('td');
const agree = (page: Page): Promise<unknown> => page.evaluate('telemetry.consent.grant()');
const record = (page: Page, metric: string, value: unknown): Promise<void> =>
  page.evaluate(
    ([metric, value]) =>
      (window as unknown as { readonly telemetry: { record(...call: readonly unknown[]): void } }).telemetry.record(metric, value),
    [metric, value],
  );

/** Everything that the page's origin stores, as text. */
const stored = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const databases = await Promise.all(
      (await indexedDB.databases()).map(
        ({ name = '' }) =>
          new Promise<unknown>((resolve) => {
            const request = indexedDB.open(name);
            request.onsuccess = () => {
              const stores = [...request.result.objectStoreNames];
              const all = stores.map(
                (store) =>
                  new Promise((found) => {
                    const get = request.result.transaction(store).objectStore(store).getAll();
                    get.onsuccess = () => found(get.result);
                  }),
              );
              void Promise.all(all).then((items) => {
                request.result.close();
                resolve(items.map((item) => JSON.stringify(item)));
              });
            };
          }),
      ),
    );
    return JSON.stringify([
      databases,
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      location.href,
      (await caches?.keys()) ?? [],
    ]);
  });

async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: checker } = window as unknown as {
      readonly axe: {
        run(
          where: string,
        ): Promise<{ readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[] }>;
      };
    };
    const where = document.querySelector('murmuration-panel') ? 'murmuration-panel' : 'html';
    return (await checker.run(where)).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
  });
  expect(found).toEqual([]);
}

test('a true answer stands beside its report, and nowhere but on the screen', async () => {
  const { page, complaints, printed, requests } = await opened('');
  await page.waitForFunction('window.telemetry');
  await toggle(page);
  await panel(page).getByText('Nobody has agreed yet: nothing is recorded.').waitFor();
  await record(page, 'page', 'too-early-zephyr');
  await rowOf(page, 'page').getByText('no-consent').waitFor();
  expect(await rowOf(page, 'page').first().textContent()).toBe('too-early-zephyr');
  await agree(page);
  await record(page, 'page', 'zephyrous');
  await record(page, 'speed', 47.125);
  await record(page, 'plan', 'team');
  for (const metric of ['page', 'speed', 'plan']) await rowOf(page, metric).getByText('recorded').waitFor();
  expect(await rowOf(page, 'page').first().textContent()).toBe('zephyrous');
  expect(await rowOf(page, 'page').nth(1).textContent()).toBe('noise');
  expect(await rowOf(page, 'plan').nth(1).textContent()).toMatch(/^(?:free: changed by chance|pro: changed by chance|team)$/);
  await panel(page)
    .getByText(/^Waiting to be sent: \d+ bytes\.$/)
    .waitFor();
  await assertAccessible(page);
  await panel(page).getByRole('button', { name: 'Send now' }).click();
  await rowOf(page, 'plan').getByText('recorded, then delivered').waitFor();
  await record(page, 'plan', 'pro');
  await rowOf(page, 'plan').getByText('already-answered').waitFor();
  expect(sent.length).toBeGreaterThan(0);
  const traces = [await stored(page), ...printed, ...requests, ...sent, await page.evaluate('document.documentElement.outerHTML')];
  expect(traces.join('\n')).toContain('murmuration:notes');
  for (const truth of ['zephyr', '47.125']) expect(traces.filter((trace) => (trace as string).includes(truth))).toEqual([]);

  // What was recorded while it was closed is not known, and what was shown is gone.
  await page.keyboard.press('Control+Alt+KeyM');
  await expect.poll(() => page.locator('murmuration-panel').count()).toBe(0);
  await record(page, 'dark', true);
  await toggle(page);
  await rowOf(page, 'dark').getByText('recorded').waitFor();
  expect(await panel(page).getByText('zephyrous').count()).toBe(0);
  expect(new Set(await panel(page).locator('table').first().locator('td:first-of-type').allTextContents())).toEqual(
    new Set(['(not seen)']),
  );

  // It stays open when the page is loaded again.
  await page.reload();
  await panel(page).getByText('ε 4 of 4 a year is spent.').waitFor();
  await panel(page).getByRole('button', { name: 'New device' }).click();
  await panel(page).getByText('Nobody has agreed yet').waitFor();
  await agree(page);
  await record(page, 'plan', 'team');
  await rowOf(page, 'plan').getByText('recorded').waitFor();
  await page.evaluate('telemetry.forget()');
  await panel(page).getByText('The person has refused: nothing is recorded. ε 4 of 4 a year is spent.').waitFor();
  expect(complaints).toEqual([]);
});

test('a page without a telemetry, and one with two, of which React makes one', async () => {
  const none = await opened('none.html');
  await toggle(none.page);
  await panel(none.page).getByText('No telemetry has started in this page.').waitFor();
  const { page, complaints } = await opened('both.html');
  await page.waitForFunction('window.mail');
  await toggle(page);
  await panel(page).getByRole('heading', { name: 'mail, version 2' }).waitFor();
  expect(await panel(page).getByRole('heading', { level: 3 }).allTextContents()).toEqual(['notes, version 1', 'mail, version 2']);
  await page.evaluate('mail.consent.grant()');
  const mail = panel(page).locator('article').nth(1);
  await mail.getByText('The person has agreed. ε 1 of 1 a year is spent.').waitFor();
  expect(await mail.locator('table').first().locator('tbody tr').count()).toBe(1);
  await page.evaluate('telemetry.close()');
  await panel(page).getByRole('heading', { name: 'notes' }).waitFor({ state: 'detached' });
  expect([...none.complaints, ...complaints]).toEqual([]);
});

test('it works by keyboard, in the dark and the light, and the page cannot look into it', async () => {
  for (const colorScheme of ['dark', 'light'] as const) {
    const { page } = await opened('', { colorScheme });
    await page.waitForFunction('window.telemetry');
    await page.keyboard.press('Control+KeyM');
    await expect.poll(() => page.locator('murmuration-panel').count()).toBe(0);
    await toggle(page);
    await panel(page).locator('tbody tr').first().waitFor();
    expect(await page.evaluate('document.querySelector("murmuration-panel").shadowRoot.activeElement.localName')).toBe('h2');
    expect(await panel(page).getAttribute('data-scheme')).toBe(colorScheme);
    expect(
      await panel(page)
        .locator('p')
        .first()
        .evaluate((element) => getComputedStyle(element).fontSize),
    ).not.toBe('40px');
    await assertAccessible(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('murmuration-panel').count()).toBe(0);
  }
  const { page } = await opened('', {}, true);
  await page.waitForFunction('window.telemetry');
  await toggle(page);
  await page.locator('murmuration-panel').waitFor();
  expect(await page.evaluate('document.querySelector("murmuration-panel").shadowRoot')).toBeNull();
});

/** The numbers of a bar: estimate, low, high and truth. */
const barsOf = async (page: Page): Promise<readonly (readonly number[])[]> =>
  (await page.locator('[id^="notes/"] [role=img]').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('aria-label') ?? ''))).map(
    (label) => (/: ([-\d.]+).*between ([-\d.]+).* and ([-\d.]+).* truth is ([-\d.]+)/.exec(label)?.slice(1) ?? []).map(Number),
  );

test('the page of the server shows what a reader would see of 10,000 imagined users', async () => {
  const { page, complaints } = await opened('');
  await page.waitForFunction('window.telemetry');
  await toggle(page);
  const [shown] = await Promise.all([
    page.context().waitForEvent('page'),
    panel(page).getByRole('link', { name: '10,000 users like this' }).click(),
  ]);
  await shown.getByRole('heading', { name: 'notes, version 1: ε 4 a year' }).waitFor();
  expect(await shown.getByText('Which plan? <b>').count()).toBe(1);
  expect(await shown.getByText('murmuration/collector plan').count()).toBe(1); // for the strings
  const first = await barsOf(shown);
  expect(first.length).toBe(2 + 3 + 1);
  for (const [estimate = 0, low = 0, high = 0, truth = 0] of first) {
    expect(low).toBeLessThan(estimate);
    expect(high).toBeGreaterThan(estimate);
    // 5 half-widths are 9.8 standard errors.
    expect(Math.abs(estimate - truth)).toBeLessThan(2.5 * (high - low));
  }
  await assertAccessible(shown);
  await shown.getByLabel('pro', { exact: true }).fill('0');
  await shown.getByRole('img', { name: /pro: .* the truth is 0\.0 %/ }).waitFor();
  await shown.getByRole('button', { name: 'Ask 10,000 others' }).click();
  await shown.getByRole('img', { name: /pro: .* the truth is 0\.0 %/ }).waitFor();
  expect(complaints).toEqual([]);
});

test('without a collector the page says what to install', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'murmuration-panel-')); // below the packages, one is found
  const from = JSON.stringify(pathToFileURL(pluginPath).href);
  await writeFile(join(elsewhere, 'vite.config.mjs'), `import { vite } from ${from};\nexport default { plugins: [vite()] };\n`);
  // What pnpm puts into NODE_PATH has a collector, too.
  const env = { ...process.env, NODE_PATH: '', NO_COLOR: '1' };
  const vite = spawn(process.execPath, [VITE, '--host', '127.0.0.1', '--port', '0'], { cwd: elsewhere, env });
  try {
    const served = await new Promise<string>((resolve, reject) => {
      vite.stdout.on('data', (text) => {
        const [found] = /http:\S+/.exec(String(text)) ?? [];
        if (found) resolve(found);
      });
      vite.once('exit', (code) => reject(new Error(`vite ended with ${code}`)));
    });
    const { page } = await opened(new URL('__murmuration', served).href);
    await page.getByText('npm install --save-dev @murmuration/collector').waitFor();
    await page.getByText('No schema has been loaded yet.').waitFor();
    await page.context().close();
  } finally {
    vite.kill();
    await rm(elsewhere, { recursive: true });
  }
});

test('a production build is the same with the panel and without it', async () => {
  const app = await project(false);
  const texts: string[] = [];
  for (const installs of [false, true]) {
    const out = join(app, `dist-${installs}`);
    await mkdir(join(app, 'src'), { recursive: true });
    const line = "import { installPanel } from '@murmuration/client/panel';\ninstallPanel();\n";
    await writeFile(join(app, 'src/main.js'), `${installs ? line : ''}import '../telemetry.js';\n`);
    await writeFile(join(app, 'index.html'), page('/src/main.js'));
    await build({
      root: app,
      configFile: false,
      logLevel: 'silent',
      mode: 'production',
      resolve: { conditions: ['production', 'module', 'browser'] }, // vitest's NODE_ENV asks for those of development
      plugins: [plugin.vite()],
      build: { outDir: out },
    });
    const [script = ''] = (await readdir(join(out, 'assets'))).filter((file) => file.endsWith('.js'));
    texts.push(
      (await readFile(join(out, 'assets', script), 'utf8')) + (await readFile(join(out, 'index.html'), 'utf8')).replaceAll(script, ''),
    );
  }
  expect(texts[0]).toContain('no-consent');
  expect(texts[0]).not.toMatch(/murmuration-panel|True answer|installPanel|__murmuration|changed by chance/);
  expect(texts[1]).toBe(texts[0]);
});
