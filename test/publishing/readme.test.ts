/** The lines of client/README.md and docs/client.md in an empty project with Vite, on the packed tarballs, in Chromium, before a collector. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { createServer, type PreviewServer, preview, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE } from '../browser/context.ts';
import { launchChromium } from '../setup/chromium.ts';
import { installPacked, newApp, type Packed, packOnce } from './packed.ts';

const pages = await Promise.all(
  ['client/README.md', 'docs/client.md'].map((page) => readFile(new URL(`../../${page}`, import.meta.url), 'utf8')),
);
const blocks = [...pages.join('\n').matchAll(/^```tsx?\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

/** The one block of code that holds a text. */
function blockWith(trace: string): string {
  const found = blocks.filter((text) => text.includes(trace));
  if (found.length !== 1) throw new Error(`client/README.md and docs/client.md: expected one block with ${trace}, got ${found.length}`);
  return found[0] as string;
}

/** As in the project that `npm create vite` makes. */
const TYPESCRIPT = {
  compilerOptions: {
    target: 'es2023',
    module: 'esnext',
    lib: ['ES2023', 'DOM'],
    types: [],
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    verbatimModuleSyntax: true,
    noEmit: true,
  },
  include: ['src', 'test'],
};
const PAGE = '<!doctype html><html lang="en"><title>Notes</title><body><script type="module" src="/src/main.ts"></script></body></html>';
/** The README's inspector hangs on a link of the page. */
const LINK = "const privacyLink = document.body.appendChild(document.createElement('button'));\n";

const run = promisify(execFile);
const vite = fileURLToPath(new URL('../../node_modules/.bin/vite', import.meta.url));

let packed: Packed;
let app: string;
let browser: Browser;
let collector: ChildProcess;
let address: string;
let mainText: string;
const servers: (PreviewServer | ViteDevServer)[] = [];

const write = (file: string, text: string): Promise<void> => writeFile(join(app, file), text);

/** `murmuration serve`, as its page says; resolves with its address. */
const serve = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const command = join(app, 'node_modules/@murmuration/collector/bin/murmuration.js');
    const args = ['serve', '--open', '--schema', 'src/schema.ts', '--minimum', '1', '--port', '0'];
    collector = spawn(process.execPath, [command, ...args], { cwd: app, stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    collector.stderr?.on('data', (text) => {
      told += text;
    });
    collector.stdout?.on('data', (text) => resolve(/http:\S+/.exec(String(text))?.[0] ?? `no address in ${text}`));
    collector.once('exit', (code) => reject(new Error(`murmuration serve ended with ${code}: ${told}`)));
  });

beforeAll(async () => {
  [packed, browser] = await Promise.all([packOnce(), launchChromium()]);
  app = await newApp(packed);
  for (const folder of ['src', 'test', 'node_modules/@types']) await mkdir(join(app, folder), { recursive: true });
  await installPacked(packed, app, ['shared', 'client', 'collector']);
  for (const name of ['react', '@types/react']) {
    await symlink(join(packed.folder, 'client', 'node_modules', name), join(app, 'node_modules', name));
  }
  await write('package.json', '{"type":"module"}');
  await write('tsconfig.json', JSON.stringify(TYPESCRIPT));
  await write('index.html', PAGE);
  await write('src/schema.ts', blockWith('// src/schema.ts'));
  address = await serve();
  mainText = blockWith('// src/main.ts').replace(/endpoint: '[^']*'/, `endpoint: '${address}'`);
  await write('src/main.ts', mainText + LINK + blockWith('openInspector('));
  await write('src/plans.tsx', `${blockWith('useTelemetry(')}export default Plans;\n`);
  await write('test/plan.ts', blockWith('fakeClock('));
  await write('src/countries.ts', 'export const countries = [..."abcdefghij"].flatMap((a) => [..."klmnopqr"].map((b) => a + b));\n');
  await write('src/country.ts', blockWith('longList()'));
  await write('src/region.ts', blockWith('unary()'));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await browser?.close();
  collector?.kill();
});

/** How many reports of a plan the collector has. */
async function plans(): Promise<number | undefined> {
  const { metrics } = (await (await fetch(`${address}/v1/metrics`)).json()) as {
    readonly metrics: readonly { readonly metric: string; readonly reports: number }[];
  };
  return metrics.find(({ metric }) => metric === 'plan')?.reports;
}

/** Opens a page as a new device, opens its inspector, and waits until a report is delivered. Returns what went wrong on it. */
async function visit(url: string): Promise<readonly string[]> {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.location().url.endsWith('/favicon.ico')) complaints.push(message.text());
  });
  const delivered = page.waitForEvent('console', (message) => message.text().includes('delivered'));
  await page.goto(url);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.locator('body > button').click();
  await page.locator('murmuration-inspector section').waitFor();
  await delivered;
  await context.close();
  return complaints;
}

/** What the compiler says of the project. */
async function compile(): Promise<string> {
  return run(join(packed.folder, 'node_modules', '.bin', 'tsc'), [], { cwd: app }).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
}

/** Vite in the project, at a free port. */
const project = { configFile: false, logLevel: 'silent' } as const;
const local = { host: '127.0.0.1', port: 0 };

test('the lines compile, and nothing misspelt does, nor a hook that records something else', async () => {
  expect(await compile()).toBe('');
  const hooks = `${blockWith('useTelemetry(')}export default Plans;\n`;
  const mistakes = [
    [mainText, "'plan'", "'plna'", `'"plna"' is not assignable`],
    [mainText, "'pro'", "'prp'", `'"prp"' is not assignable`],
    [hooks, "options, 'darkMode', dark", "options, 'darkMoed', dark", `'"darkMoed"' is not assignable`],
    [hooks, "options, 'darkMode', dark", "options, 'plan', dark", "'boolean' is not assignable"],
    [hooks, "options, 'darkMode', dark", "options, 'plan', 'prp'", `'"prp"' is not assignable`],
    [hooks, "record('plan', 'pro')", "record('plan', 'prp')", `'"prp"' is not assignable`],
  ] as const;
  for (const [i, [text, right, wrong]] of mistakes.entries()) await write(`src/wrong${i}.tsx`, text.replace(right, wrong));
  const told = (await compile()).split(/\n(?!\s)/).filter((line) => line !== '');
  expect(told.sort()).toEqual(mistakes.map(([, , , said], i) => expect.stringMatching(new RegExp(`^src/wrong${i}.tsx.* ${said}`))));
  for (const i of mistakes.keys()) await rm(join(app, `src/wrong${i}.tsx`));
});

test('the file that calls the hook says that it is the client’s, without which a server component that renders it fails in Next', () => {
  expect(blockWith('useTelemetry(')).toMatch(/^'use client';/);
});

test('what vite builds holds no development checks, loads the inspector on demand, and reports under a strict policy', async () => {
  await run(vite, ['build'], { cwd: app, env: { ...process.env, NODE_ENV: undefined } }); // vitest's own is `test`
  const folder = join(app, 'dist', 'assets');
  const files = (await readdir(folder)).sort();
  expect(files).toEqual([expect.stringMatching(/^index-/), expect.stringMatching(/^inspector-/)]);
  const text = await readFile(join(folder, files[0] as string), 'utf8');
  expect(['already-answered', 'a number above 0, at most 1', 'While you develop'].filter((trace) => text.includes(trace))).toEqual([
    'already-answered',
  ]);

  const policy = `default-src 'none'; script-src 'self'; connect-src 'self' ${address}; style-src 'self'`;
  const server = await preview({ ...project, root: app, preview: { ...local, headers: { 'content-security-policy': policy } } });
  servers.push(server);
  expect(await visit(server.resolvedUrls?.local[0] as string)).toEqual([]);
  expect(await plans()).toBe(1);
});

test('vite serves it while it is developed, with the checks; the lines for tests pass', async () => {
  const server = await createServer({ ...project, root: app, server: local });
  servers.push(server);
  await server.listen();
  const before = (await plans()) ?? 0;
  expect(await visit(server.resolvedUrls?.local[0] as string)).toEqual([]);
  expect(await plans()).toBe(before + 1);
  await server.ssrLoadModule('/test/plan.ts');
  await write('src/wrong.ts', mainText.replace('schema,', 'schema, sampleRate: 2,'));
  await expect(server.ssrLoadModule('/src/wrong.ts')).rejects.toThrow(/sampleRate: expected a number above 0, at most 1, got 2/);
});
