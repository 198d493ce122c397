/** The lines of docs/recipes.md, built and run: Vue and Svelte in Chromium, before a collector, and the others with what they are for. */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Collector, createCollector } from '@murmuration/collector';
import { HTML, SCRIPT, servePages, type WebServer } from '@murmuration/examples/static';
import type { SchemaDocument } from '@murmuration/shared';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { watchedContext } from '../browser/context.ts';
import { components } from '../kit/components.ts';
import { counted } from '../kit/counted.ts';
import { launchChromium } from '../setup/chromium.ts';

const recipes = await readFile(new URL('../../docs/recipes.md', import.meta.url), 'utf8');
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Each file that the page names, and its lines. */
const files = [...recipes.matchAll(/^```\w+\n((?:\/\/|<!--) src\/(\S+)(?: -->)?\n[\s\S]*?)^```$/gm)].map(
  ([, text = '', name = '']) => [name, text] as const,
);

const ENTRIES = {
  vue: "import { createApp } from 'vue'; import Consent from './Consent.vue'; createApp(Consent).mount('#root');",
  svelte:
    "import { mount } from 'svelte'; import Consent from './Consent.svelte'; mount(Consent, { target: document.getElementById('root') });",
  others:
    "import { saved } from './saves'; import { track } from './track'; import { telemetry } from './telemetry'; import { answering } from './answering'; import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'; Object.assign(globalThis, { saved, track, telemetry, tracer: new BasicTracerProvider({ spanProcessors: [answering] }).getTracer('page') });",
  product:
    "import { start } from './experiment'; import { signup } from './signup'; import { keptAnswer } from './kept'; import { session } from './session'; Object.assign(globalThis, { start, signup, keptAnswer, session });",
} as const;

let folder: string;
let source: string;
let collector: Collector;
let address: string;
let browser: Browser;
let context: BrowserContext;
let complaints: readonly string[];
let web: WebServer;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-recipes-'));
  source = join(folder, 'src');
  await mkdir(source);
  await symlink(modules, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of files) await writeFile(join(source, name), text);
  const schemas = await Promise.all([schemaIn('schema'), schemaIn('questions')]);
  collector = await createCollector({ open: true, schemas, data: join(folder, 'data'), minimum: 1 });
  address = await collector.listen(0, '127.0.0.1');
  for (const name of ['telemetry.ts', 'experiment.ts']) {
    const file = join(source, name);
    await writeFile(file, (await readFile(file, 'utf8')).replace('https://t.example.com', address));
  }
  ({ context, complaints } = await watchedContext(browser));
});
afterEach(async () => {
  await context.close();
  await web?.close();
  await collector.close();
  await rm(folder, { recursive: true });
  expect(complaints).toEqual([]);
});

/** Builds a file of the recipes for browsers. */
const bundle = (entry: string, outfile: string): Promise<unknown> =>
  build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [components],
    outfile,
  });

/** The document of a schema that a file of this name exports. */
async function schemaIn(name: 'schema' | 'questions'): Promise<SchemaDocument> {
  const file = join(folder, `${name}.js`);
  await bundle(join(source, `${name}.ts`), file);
  const found = (await import(pathToFileURL(file).href)) as { readonly [name: string]: { readonly document: SchemaDocument } };
  return (found[name] as { readonly document: SchemaDocument }).document;
}

/** Serves and opens a page; it keeps what its components have shown. */
async function open(name: keyof typeof ENTRIES): Promise<Page> {
  const entry = join(source, `${name}.ts`);
  await writeFile(entry, ENTRIES[name]);
  const script = join(folder, `${name}.js`);
  await bundle(entry, script);
  const page = `<!doctype html><html lang="en"><title>Notes</title><div id="root"></div><script type="module" src="/main.js"></script></html>`;
  const pages: { readonly [path: string]: readonly [string, string] } = {
    '/': [HTML, page],
    '/main.js': [SCRIPT, await readFile(script, 'utf8')],
  };
  web = await servePages(async (path) => pages[path], 0);
  const opened = await context.newPage();
  await opened.addInitScript(() => {
    const shown: string[] = [];
    Object.assign(globalThis, { shown });
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (init) {
      const root = attachShadow.call(this, init);
      const look = (): void => {
        for (const section of root.querySelectorAll('section')) if (!section.hidden) shown.push(section.textContent);
      };
      new MutationObserver(look).observe(root, { subtree: true, childList: true, attributes: true });
      return root;
    };
  });
  await opened.goto(web.address);
  return opened;
}

test.each(['vue', 'svelte'] as const)('the component for %s asks once, and never who has decided', async (name) => {
  const page = await open(name);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect.poll(() => page.evaluate('shown')).toContainEqual(expect.stringContaining('May we'));
  await expect.poll(() => counted(address)).toEqual({ compact: 1 });
  await page.reload();
  await expect.poll(() => page.evaluate("document.querySelector('murmuration-consent')?.telemetry.consent.state")).toBe('granted');
  expect(await page.evaluate('shown')).toEqual([]);
});

test('a count per session, the events of Segment and the spans of OpenTelemetry become answers', async () => {
  const page = await open('others');
  await page.evaluate(() => {
    const { telemetry, saved, track, tracer } = globalThis as unknown as {
      readonly telemetry: { readonly consent: { grant(): void } };
      readonly saved: () => void;
      readonly track: (event: string, properties?: object) => void;
      readonly tracer: { startSpan(name: string): { end(): void } };
    };
    telemetry.consent.grant();
    saved();
    track('View Changed', { compact: true });
    track('Document Exported');
    track('Not In The Table');
    tracer.startSpan('documentLoad').end();
    tracer.startSpan('another').end();
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  // The answer to `exported` waits for the end of its month.
  await expect.poll(() => counted(address)).toEqual({ compact: 1, saves: 1, loadMs: 1 });
});

test('a funnel, retention, crashes and an experiment become answers, and the arm stays', async () => {
  const page = await open('product');
  /** Starts telemetry, which agrees and answers everything; the arm. */
  const live = () =>
    page.evaluate(async () => {
      const { start, signup, keptAnswer, session } = globalThis as unknown as {
        readonly start: () => Promise<{
          readonly arm: string;
          readonly telemetry: {
            readonly consent: { grant(): void };
            readonly record: (metric: string, value: unknown) => void;
            readonly flush: () => Promise<void>;
          };
        }>;
        readonly signup: { reach(step: string): void; readonly step: string };
        readonly keptAnswer: (firstUse: number, used: boolean) => object;
        readonly session: { readonly isAfterCrash: boolean };
      };
      const { arm, telemetry } = await start();
      telemetry.consent.grant();
      signup.reach('form');
      telemetry.record('signup', signup.step);
      telemetry.record('kept', keptAnswer(Date.now(), true));
      telemetry.record('crashes', { version: '1.5', crashed: session.isAfterCrash });
      telemetry.record('ordered', true);
      telemetry.record('searchOrdered', { search: arm, ordered: true });
      await telemetry.flush();
      return arm;
    });
  const arm = await live();
  expect(['old', 'new']).toContain(arm);
  const all = { signup: 1, kept: 1, crashes: 1, ordered: 1, searchOrdered: 1 };
  await expect.poll(() => counted(address)).toEqual(all);
  // A draw of its own would be the same each time with probability 2^-5.
  for (let reload = 0; reload < 5; reload++) {
    await page.reload();
    expect(await live()).toBe(arm);
  }
  expect(await counted(address)).toEqual(all);
});

test('the lines in TypeScript compile', async () => {
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        module: 'esnext',
        lib: ['ES2023', 'DOM'],
        types: [],
        moduleResolution: 'bundler',
        strict: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        noEmit: true,
      },
      files: files.filter(([name]) => name.endsWith('.ts')).map(([name]) => `src/${name}`),
    }),
  );
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [tsc], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
