/**
 * The behaviours, and the suites of the browser's adapters, in a page of each engine. The deep tier runs them in a worker and a service
 * worker, too, where the code is the same, and all of it once more as the build plugin writes it.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { esbuild } from '@murmuration/client/plugin';
import { build, type Plugin } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { inEachEngine } from '../engines/each.ts';
import type { Browser, Page } from '../engines/engine.ts';
import { type RunningServer, startServer } from '../kit/transport-server.ts';
import { EFFORT } from '../setup/effort.ts';
import { trace } from './behaviours.ts';
import type { Results } from './run.ts';

const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'";
const PAGE = '<!doctype html><html lang="en"><title>Suites</title>';

/** Asks a worker for the results of its suites. */
const IN_WORKER = `new Promise((resolve, reject) => {
  const worker = new Worker('/suites.js');
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.postMessage('run');
})`;
const IN_SERVICE_WORKER = `navigator.serviceWorker.register('/suites.js').then(() => navigator.serviceWorker.ready).then(
  ({ active }) =>
    new Promise((resolve) => {
      navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
      active.postMessage('run');
    }),
)`;

/** The builds that are tested, each with its plugins. */
const builds: readonly (readonly [build: string, plugins: Plugin[]])[] = [
  ['from the sources', []],
  ...(EFFORT > 1 ? [['with the build plugin', [esbuild()]] as [string, Plugin[]]] : []),
];

async function scriptOf(plugins: Plugin[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'browser-entry.ts')],
    outdir: tmpdir(),
    plugins,
    bundle: true,
    format: 'iife',
    target: 'es2022',
    define: { TRACE: JSON.stringify(await trace()) },
    write: false,
  });
  return outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '';
}

/** A server, and so an origin whose storage nothing has used. */
function serveSuites(script: string): Promise<RunningServer> {
  const files: { readonly [path: string]: readonly [type: string, body: string, policy: string] } = {
    '/': ['text/html', PAGE, POLICY],
    '/suites': ['text/html', `${PAGE}<script src="/suites.js"></script>`, POLICY],
    '/sandboxed': ['text/html', `${PAGE}<script src="/suites.js"></script>`, `${POLICY}; sandbox allow-scripts`],
    '/suites.js': ['text/javascript', script, POLICY],
  };
  return startServer((path, response) => {
    const file = files[path];
    if (file === undefined) return false;
    const [type, body, policy] = file;
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy, 'set-cookie': 'person=1' }).end(body);
    return true;
  });
}

function expectPassed(results: { readonly [suite: string]: Results }, suites: readonly string[]): void {
  expect(Object.values(results).flatMap(({ failed }) => failed)).toEqual([]);
  expect(Object.keys(results).sort()).toEqual(suites);
  for (const { passed } of Object.values(results)) expect(passed.length).toBeGreaterThan(2);
}

describe.each(builds)('%s', (_, plugins) => {
  inEachEngine((engine, test) => {
    let script: string;
    let profile: string;
    let browser: Browser;
    let server: RunningServer;

    beforeAll(async () => {
      script = await scriptOf(plugins);
      profile = await mkdtemp(join(tmpdir(), 'murmuration-behaviour-'));
      browser = await engine.launch(profile);
    });
    afterAll(async () => {
      await browser.close();
      await rm(profile, { recursive: true });
    });
    beforeEach(async () => {
      server = await serveSuites(script);
    });
    afterEach(() => server.close());

    /** A page of the test's own server; it is closed with the browser. */
    const open = (path: string): Promise<Page> => browser.open(server.address + path);

    test('in a page', async () => {
      const page = await open('/suites');
      expectPassed(await page.evaluate('runAll()'), ['beacon', 'behaviours', 'fetch', 'page']);
    });

    test('in a page that may not store anything nothing is recorded, nor sent, and that is said', async ({ expect }) => {
      const page = await open('/sandboxed');
      expect(await page.evaluate('Promise.resolve().then(() => localStorage.length).catch(String)')).toContain('SecurityError');
      // The start, the decision and the record could not be written down; that nothing can be is told once.
      const said = ['plan no-consent', ' storage-failed', 'plan storage-failed'];
      expect(await page.evaluate('recordAnyway()')).toEqual(said);
      expect(server.received()).toEqual([]);
    });

    test('where fetch does not outlive a hidden page, a beacon goes, and its batch stays', async ({ expect }) => {
      const page = await open('/suites');
      await page.evaluate('delete Request.prototype.keepalive');
      await page.evaluate('void Object.defineProperty(document, "visibilityState", { value: "hidden" })');
      const send = `beaconTransport({ url: location.origin + '/status/204', body: '{"v":1}' })`;
      expect(await page.evaluate(send)).toEqual({ status: 0 });
      await expect
        .poll(() => server.received().map(({ method, body, headers }) => [method, body, String(headers['content-type']).toLowerCase()]))
        .toEqual([['POST', '{"v":1}', 'text/plain;charset=utf-8']]);
    });

    if (EFFORT === 1) return;

    test('in a worker', async () => {
      const page = await open('/');
      expectPassed(await page.evaluate(IN_WORKER), ['behaviours', 'fetch', 'sync', 'worker']);
    });

    test('in a service worker', async () => {
      const page = await open('/');
      expectPassed(await page.evaluate(IN_SERVICE_WORKER), ['behaviours', 'fetch', 'sync', 'worker']);
    });
  });
});
