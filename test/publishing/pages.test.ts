/** Pages that strangers build of the packed tarballs, in Chromium, where nothing defines `process`: each sends reports, and hears a refusal. */

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import type { Browser } from 'playwright-core';
import { rollup } from 'rollup';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { SCRIPTS } from '../setup/build-client.ts';
import { launchChromium } from '../setup/chromium.ts';
import { installPacked, newApp, type Packed, packOnce } from './packed.ts';
import { type Site, serveSite, visit } from './site.ts';

const SCHEMA = (text: string): string => `defineSchema({ app: 'a', version: 1, budget: { epsilon: 3, per: 'month' }, metrics: {
  dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
  plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),${text} } })`;
const TEXT = "home: text({ epsilon: 1, description: 'Which home page?' })";

/** What every page does with a schema. */
const START = `
  globalThis.telemetry = createTelemetry({ schema, endpoint: location.origin });
  const values = { dark: true, plan: 'pro', home: 'https://example.com' };
  globalThis.record = () => Object.keys(schema.questions).forEach((metric) => telemetry.record(metric, values[metric]));`;
const APP = `import { choice, createTelemetry, defineSchema, flag, text } from '@murmuration/client';
  const schema = ${SCHEMA(TEXT)};${START}`;

const html = (head: string): string => `<!doctype html><html lang="en"><title>Notes</title>${head}`;

let packed: Packed;
let app: string;
let browser: Browser;
let site: Site;

const write = (file: string, text: string): Promise<void> => writeFile(join(app, file), text);

beforeAll(async () => {
  [packed, browser] = await Promise.all([packOnce(), launchChromium()]);
  app = await newApp(packed);
  await installPacked(packed, app, ['shared', 'client']);
  await write('package.json', '{"type":"module"}');
  await write('app.js', APP);
  site = await serveSite(app);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await site?.close();
  await browser?.close();
});

/** The app, bundled by Rollup with its resolver and nothing else; and what Rollup complained of. */
async function rollUp(): Promise<{ readonly code: string; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const build = await rollup({ input: join(app, 'app.js'), plugins: [nodeResolve()], onwarn: ({ message }) => warnings.push(message) });
  const { output } = await build.generate({ format: 'es' });
  await build.close();
  return { code: output[0].code, warnings };
}

test('plain Rollup, without plugins for CommonJS or process, bundles flag, choice and text, with their licence and without checks', async () => {
  vi.stubEnv('NODE_ENV', undefined); // as on a command line
  const { code, warnings } = await rollUp();
  expect(warnings).toEqual([]);
  expect(code).not.toContain('a number above 0, at most 1');
  expect(code).toContain('Karan Lyons');
  await write('rolled.js', code);
  await write('rolled.html', html('<script type="module" src="/rolled.js"></script>'));
  expect(await visit(browser, site, '/rolled.html', ['dark', 'plan', 'home'])).toEqual([]);
});

test('Rollup in development bundles the checks', async () => {
  vi.stubEnv('NODE_ENV', 'development');
  const { code, warnings } = await rollUp();
  expect(warnings).toEqual([]);
  expect(code).toContain('a number above 0, at most 1');
});

test('a page with an import map and no bundler runs the modules as they are installed', async () => {
  const readme = await readFile(new URL('../../client/README.md', import.meta.url), 'utf8');
  const map = /<script type="importmap">[\s\S]*?<\/script>/.exec(readme)?.[0];
  expect(map).toBeDefined();
  await write('map.html', html(`${map}<script type="module" src="/app.js"></script>`));
  expect(await visit(browser, site, '/map.html', ['dark', 'plan', 'home'])).toEqual([]);
});

/** The schema's JSON, as the command line prints it. */
async function printed(spec: string): Promise<string> {
  const command = fileURLToPath(new URL('../../collector/bin/murmuration.js', import.meta.url));
  await write('schema.js', `import { choice, defineSchema, flag, text } from '@murmuration/client'; export const schema = ${spec};`);
  return execFileSync(process.execPath, [command, 'schema', '--schema', join(app, 'schema.js'), '--json'], { encoding: 'utf8' });
}
const FOLDER = '/node_modules/@murmuration/client/dist/browser';
const tagOf = (script: string): string => `<script src="${FOLDER}/${script}" integrity="${packed.integrity[script]}"></script>`;
const LAZY = 'murmuration.lazy.min.js';

test(`a page with ${LAZY} loads another script when the person agrees, as docs/client.md says`, async () => {
  const page = await readFile(new URL('../../docs/client.md', import.meta.url), 'utf8');
  const lines = /^const telemetry = murmuration\.createLazyTelemetry[\s\S]*?^\}\);$/m.exec(page)?.[0] ?? '';
  const start = lines
    .replace("app: 'notes'", "app: 'a'")
    .replace("'murmuration.min.js'", `'${FOLDER}/murmuration.min.js'`)
    .replace("'schema.json'", "'/schema.json.js'")
    .replace("'https://t.example.com'", 'location.origin');
  await write('schema.json.js', await printed(SCHEMA('')));
  const record = "globalThis.record = () => { telemetry.record('dark', true); telemetry.record('plan', 'pro'); };";
  await write('lazy.html', html(`${tagOf(LAZY)}<script>${start} globalThis.telemetry = telemetry; ${record}</script>`));
  expect(await visit(browser, site, '/lazy.html', ['dark', 'plan'])).toEqual([]);
});

const whole = Object.keys(SCRIPTS).filter((script) => script !== LAZY);
test.each(whole)('a page with %s runs the schema that the command line printed, and one that it defines', async (script) => {
  const isAll = script.includes('all');
  const spec = SCHEMA(isAll ? TEXT : '');
  const json = await printed(spec);
  const tag = tagOf(script);
  const metrics = ['dark', 'plan', ...(isAll ? ['home'] : [])];
  const text = 'document.getElementById("schema").textContent';
  const start = `const { createTelemetry, schemaFromJson } = murmuration; const schema = schemaFromJson(${text});${START}`;
  await write('json.html', html(`${tag}<script type="application/json" id="schema">${json}</script><script>${start}</script>`));
  expect(await visit(browser, site, '/json.html', metrics)).toEqual([]);
  const own = `const { choice, createTelemetry, defineSchema, flag, text } = murmuration; const schema = ${spec};${START}`;
  await write('script.html', html(`${tag}<script>${own}</script>`));
  expect(await visit(browser, site, '/script.html', metrics)).toEqual([]);
});
