/** A page that downloads nothing before the person agrees: what it stores, opens and requests in each engine, and what follows in a few. */

import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { inEachEngine } from '../engines/each.ts';
import type { Browser, Page } from '../engines/engine.ts';
import { few } from '../engines/engines.ts';
import { type RunningServer, startServer } from '../kit/transport-server.ts';

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";
const PAGE =
  '<!doctype html><html lang="en"><title>Notes</title><script src="/watch.js"></script><script type="module" src="/lazy-entry.js"></script>';

/** Notes every use of what can store or send, before the page's own scripts run. */
const WATCH = `
globalThis.used = [];
for (const [owner, names] of [
  [IDBFactory.prototype, ['open', 'deleteDatabase', 'databases']],
  [Storage.prototype, ['setItem', 'removeItem', 'clear']],
  [Navigator.prototype, ['sendBeacon']],
  [globalThis, ['fetch', 'setTimeout', 'setInterval']],
])
  for (const name of names) {
    const original = owner[name];
    if (original) owner[name] = function (...args) { used.push(name); return original.apply(this, args); };
  }
globalThis.errors = [];
for (const event of ['error', 'unhandledrejection']) addEventListener(event, (e) => errors.push(String(e.reason ?? e.message)));
`;

let scripts: ReadonlyMap<string, string>;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'lazy-entry.ts')],
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    outdir: '/',
    chunkNames: '[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  scripts = new Map(outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]));
});

inEachEngine((engine, test) => {
  let profile: string;
  let browser: Browser;
  let server: RunningServer;
  let requested: string[];
  /** What happens to requests for the code: it comes, fails, or waits for the function that is called with its path. */
  let code: 'comes' | 'fails' | Promise<unknown>;

  beforeAll(async () => {
    profile = await mkdtemp(join(tmpdir(), 'murmuration-lazy-'));
    browser = await engine.launch(profile);
  });
  afterAll(async () => {
    await browser.close();
    await rm(profile, { recursive: true });
  });
  // Each server is an origin whose storage nothing has used.
  beforeEach(async () => {
    requested = [];
    code = 'comes';
    server = await startServer(serve, () => 204);
  });
  afterEach(() => server.close());

  function serve(path: string, response: ServerResponse): boolean {
    const body = path === '/' ? PAGE : path === '/watch.js' ? WATCH : scripts.get(path.replace(/\?.*/, ''));
    if (!path.startsWith('/favicon')) requested.push(path);
    if (body === undefined) return false;
    const answer = (): unknown =>
      response
        .writeHead(200, {
          'content-type': path === '/' ? 'text/html' : 'text/javascript',
          'content-security-policy': POLICY,
          'cache-control': 'no-store',
        })
        .end(body);
    const isCode = !FIRST.includes(path);
    if (isCode && code === 'fails') response.writeHead(503).end();
    else if (isCode && typeof code === 'object') void code.then(answer);
    else answer();
    return true;
  }

  const FIRST = ['/', '/lazy-entry.js', '/watch.js'];
  /** Waits for the page's module: WebKitGTK may say that a page has come just before its modules run. */
  const ready = async (page: Page): Promise<Page> => {
    while (!(await page.evaluate<boolean>('typeof telemetry === "object"'))) await sleep(10);
    return page;
  };
  const open = async (): Promise<Page> => ready(await browser.open(`${server.address}/`));
  const reload = async (page: Page): Promise<unknown> => {
    await page.reload();
    return ready(page);
  };
  const state = (page: Page): Promise<string> => page.evaluate('telemetry.consent.state');
  const results = (page: Page): Promise<readonly string[]> =>
    page.evaluate('outcomes.map(({ metric = "", result }) => metric + " " + result)');
  const mark = (page: Page): Promise<string | null> => page.evaluate('localStorage.getItem("murmuration:notes:consent")');
  const databases = (page: Page): Promise<readonly string[]> =>
    page.evaluate('indexedDB.databases().then((all) => all.filter(({ version }) => version).map(({ name }) => name).sort())');
  /** The page's telemetry has found out whether the person agrees. */
  const becomes = ({ expect }: { readonly expect: typeof import('vitest').expect }, page: Page, wanted: string) =>
    expect.poll(() => state(page)).toBe(wanted);

  test('before the person agrees nothing is stored, opened, requested or scheduled', async ({ expect }) => {
    const page = await open();
    await page.evaluate('void (telemetry.record("dark", true), telemetry.record("plan", "pro"))');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await page.evaluate('["visibilitychange", "online", "pagehide", "pageshow"].forEach((type) => void dispatchEvent(new Event(type)))');
    expect(await state(page)).toBe('ask');
    expect(await page.evaluate('[used, errors, localStorage.length, document.cookie]')).toEqual([[], [], 0, '']);
    expect([await databases(page), requested.sort()]).toEqual([[], FIRST]);
    await page.close();
  });

  if (!few.includes(engine)) return;

  test('an agreement brings the code, and the next visit needs no other one', async ({ expect }) => {
    const page = await open();
    const agree = '(telemetry.consent.grant(), telemetry.record("dark", true), telemetry.consent.state)';
    expect(await page.evaluate(agree)).toBe('unknown');
    await becomes({ expect }, page, 'granted');
    await expect.poll(() => results(page)).toEqual(['dark recorded']);
    await expect.poll(() => mark(page)).toBe('4');
    await reload(page);
    await page.evaluate('void (telemetry.record("dark", true), telemetry.record("plan", "pro"))');
    await becomes({ expect }, page, 'granted');
    await expect.poll(() => results(page)).toEqual(['dark already-answered', 'plan recorded']);
    expect(await page.evaluate('errors')).toEqual([]);
    await page.close();
  });

  test('a refusal stays one: later visits bring no code, and open nothing', async ({ expect }) => {
    const page = await open();
    await page.evaluate('void (telemetry.consent.deny())');
    expect([await state(page), await mark(page)]).toEqual(['denied', '6']);
    await reload(page);
    await page.evaluate('void (telemetry.record("dark", true))');
    expect([await state(page), await page.evaluate('used'), await databases(page)]).toEqual(['denied', [], []]);
    expect(requested.sort()).toEqual([...FIRST, ...FIRST].sort());
    await page.close();
  });

  test('a refusal after an agreement is stored before the code comes, and erases what waits when it does', async ({ expect }) => {
    const page = await open();
    await page.evaluate('void (telemetry.consent.grant(), telemetry.record("dark", true))');
    await expect.poll(() => results(page)).toEqual(['dark recorded']);
    await expect.poll(() => databases(page)).toEqual(['murmuration', 'murmuration:murmuration:notes']);
    let come = (_: unknown): void => {};
    code = new Promise((resolve) => {
      come = resolve;
    });
    // Firefox fires `load` only when the code has come, and `reload` would wait for that.
    await page.evaluate('void (globalThis.isLeft = true, setTimeout(() => location.reload()))');
    const isNew = 'typeof isLeft === "undefined" && typeof telemetry === "object"';
    await expect.poll(() => page.evaluate(isNew).catch(() => false)).toBe(true);
    await page.evaluate('void (telemetry.record("plan", "pro"), telemetry.consent.deny())');
    expect([await state(page), await mark(page)]).toEqual(['denied', '10']);
    await expect.poll(() => databases(page)).toEqual(['murmuration']);
    come(0);
    await expect.poll(() => results(page)).toEqual(['plan no-consent', 'dark no-consent']);
    expect(await state(page)).toBe('denied');
    await page.close();
  });

  test('tabs know of each other: one that asks sees an agreement and a refusal, and a later refusal is not undone', async ({ expect }) => {
    const [one, other] = [await open(), await open()];
    let come = (_: unknown): void => {};
    code = new Promise((resolve) => {
      come = resolve;
    });
    await one.evaluate('void (telemetry.consent.grant(), telemetry.record("dark", true))');
    await other.evaluate('void (telemetry.consent.deny())');
    come(0);
    await expect.poll(() => results(one)).toEqual(['dark no-consent']);
    expect([await state(one), await state(other)]).toEqual(['denied', 'denied']);
    await one.evaluate('void (telemetry.consent.grant(), telemetry.record("plan", "pro"))');
    await expect.poll(() => results(one)).toEqual(['dark no-consent', 'plan recorded']);
    await expect.poll(() => state(other)).toBe('unknown');
    await other.evaluate('void (telemetry.record("plan", "pro"))');
    await becomes({ expect }, other, 'granted');
    await expect.poll(() => results(other)).toEqual(['plan already-answered']);
    await one.evaluate('void (telemetry.consent.deny())');
    await becomes({ expect }, other, 'denied');
    await one.close();
    await other.close();
  });

  test('code that does not come throws nothing into the page, and is asked for again', async ({ expect }) => {
    code = 'fails';
    const page = await open();
    await page.evaluate('void (telemetry.consent.grant(), telemetry.record("dark", true))');
    await expect.poll(() => requested.length).toBeGreaterThan(FIRST.length);
    expect([await state(page), await page.evaluate('errors'), await results(page)]).toEqual(['unknown', [], []]);
    code = 'comes';
    // Firefox remembers for as long as the page lives that a module did not come. The next visit asks, for nothing was stored.
    if (engine.name === 'firefox') {
      await reload(page);
      expect(await state(page)).toBe('ask');
      await page.evaluate('void (telemetry.consent.grant(), telemetry.record("dark", true))');
    }
    const again = 'void telemetry.record("plan", "pro")'; // one that comes before the first try has failed is part of that
    await expect.poll(() => page.evaluate(again).then(() => results(page))).toContain('plan recorded');
    expect(await results(page)).toContain('dark recorded');
    await page.close();
  });
});
