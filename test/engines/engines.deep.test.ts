/** Each engine does what the tests of storage rest on: crashes, tabs, the cache of pages and the last request of a closed tab are real. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RunningServer, startServer } from '../kit/transport-server.ts';
import { inEachEngine } from './each.ts';
import type { Browser, Page } from './engine.ts';

/** A page with a small store, that tells how it was shown, and says goodbye. */
const PAGE = `<!doctype html><html lang="en"><title>Engines</title><script>
const shown = [];
addEventListener('pageshow', ({ persisted }) => shown.push(persisted));
addEventListener('pagehide', () => fetch('/left/204', { method: 'POST', body: location.search, keepalive: true }));
const opened = new Promise((resolve, reject) => {
  const request = indexedDB.open('engines', 1);
  request.onupgradeneeded = () => request.result.createObjectStore('values');
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
async function inStore(mode, act) {
  const transaction = (await opened).transaction('values', mode, { durability: 'strict' });
  const request = act(transaction.objectStore('values'));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}
const put = (key, value) => inStore('readwrite', (store) => store.put(value, key));
const get = (key) => inStore('readonly', (store) => store.get(key));
</script>`;

/** A server of the page, which knows what it received: each engine has its own. */
const servePage = (): Promise<RunningServer> =>
  startServer((path, response) => {
    const isPage = path.startsWith('/?');
    if (isPage) response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-cache' }).end(PAGE);
    return isPage;
  });

/** The processes whose home, or an argument, is the folder. */
async function processesIn(folder: string): Promise<readonly string[]> {
  const pids = process.platform === 'linux' ? (await readdir('/proc')).filter((name) => /^\d+$/.test(name)) : [];
  const texts = pids.flatMap((pid) => ['environ', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')));
  return (await Promise.all(texts)).filter((text) => text.includes(folder));
}

inEachEngine(({ name, launch }, test) => {
  let profile: string;
  let browser: Browser;
  let server: RunningServer;

  beforeAll(async () => {
    server = await servePage();
    profile = await mkdtemp(join(tmpdir(), 'murmuration-engine-'));
    browser = await launch(profile);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await rm(profile, { recursive: true });
  });

  test('a page gives the values of expressions, and what they reject with', async ({ expect }) => {
    const page = await browser.open(`${server.address}/?values`);
    expect(await page.evaluate('[location.search, Promise.name, null]')).toEqual(['?values', 'Promise', null]);
    expect(await page.evaluate('new Promise((resolve) => setTimeout(() => resolve({ later: 1 }), 1))')).toEqual({ later: 1 });
    expect(await page.evaluate('undefined')).toBe(null);
    await expect(page.evaluate('Promise.reject(new TypeError("no such thing"))')).rejects.toThrow('TypeError: no such thing');
    await expect(page.evaluate('missing.thing')).rejects.toThrow('ReferenceError');
    const gone = await startServer();
    await gone.close();
    await expect(page.goto(gone.address)).rejects.toThrow(/connection.refused/i);
    await page.close();
  });

  test('tabs share a database', async ({ expect }) => {
    const [one, other] = [await browser.open(`${server.address}/?one`), await browser.open(`${server.address}/?other`)];
    await one.evaluate('put("shared", "of one")');
    expect(await other.evaluate('get("shared")')).toBe('of one');
    await other.evaluate('put("shared", "of the other")');
    expect(await one.evaluate('get("shared")')).toBe('of the other');
    await one.close();
    await other.close();
  });

  test('a page that one goes back to is the same page, shown again, and a page that is reloaded is another', async ({ expect }) => {
    // Firefox reloads about one page in a hundred, whatever runs in it.
    const goneBack = async (tries: number): Promise<Page> => {
      const page = await browser.open(`${server.address}/?first`);
      await page.evaluate('put("idle", "an open connection")');
      await page.goto(`${server.address}/?second`);
      expect(await page.evaluate('[location.search, shown]')).toEqual(['?second', [false]]);
      await page.back();
      if (tries === 1 || (await page.evaluate<readonly boolean[]>('shown')).length > 1) return page;
      await page.close();
      return goneBack(tries - 1);
    };
    const page = await goneBack(5);
    expect(await page.evaluate('[location.search, shown]')).toEqual(['?first', [false, true]]);
    await page.reload();
    expect(await page.evaluate('[location.search, shown]')).toEqual(['?first', [false]]);
    await page.close();
  });

  test('the last request of a tab that is closed arrives', async ({ expect }) => {
    for (let tab = 0; tab < 10; tab++) await (await browser.open(`${server.address}/?closed`)).close();
    let arrived = 0;
    await expect
      .poll(() => {
        arrived += server.received().filter(({ body }) => body === '?closed').length;
        return arrived;
      })
      .toBeGreaterThanOrEqual(name === 'webkit' ? 1 : 10);
  });

  test('what was written strictly outlives a crash that leaves no process, and localStorage an end in order', async ({ expect }) => {
    const page = await browser.open(`${server.address}/?before`);
    await page.evaluate('put("kept", "through a crash")');
    await browser.kill();
    expect(await processesIn(profile)).toEqual([]);
    await expect(page.evaluate('1')).rejects.toThrow('ended');

    browser = await launch(profile);
    const next = await browser.open(`${server.address}/?after`);
    expect(await next.evaluate('get("kept")')).toBe('through a crash');
    await next.evaluate('localStorage.setItem("kept", "through an end")');
    await browser.close();
    expect(await processesIn(profile)).toEqual([]);

    browser = await launch(profile);
    const last = await browser.open(`${server.address}/?last`);
    expect(await last.evaluate('localStorage.getItem("kept")')).toBe('through an end');
  });
});
