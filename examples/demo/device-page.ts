/** The demo's app as a page: a device of one's own among the simulated ones, which `murmuration audit --url` can check. */

import { readFile } from 'node:fs/promises';
import { bundle } from '../bundle.ts';
import { HTML, SCRIPT, STYLE, servePages, type WebServer } from '../static.ts';

const here = (file: string): URL => new URL(file, import.meta.url);

/** Serves the page on a free port. */
export async function serveDevice(collector: string): Promise<WebServer> {
  const [page, script, style] = await Promise.all([
    readFile(here('device-page/index.html'), 'utf8'),
    bundle(here('device-page/page.js')),
    readFile(here('../web/style.css'), 'utf8'),
  ]);
  const pages: { readonly [path: string]: readonly [string, string] } = {
    '/': [HTML, page.replaceAll('http://127.0.0.1:8080', collector)],
    '/page.js': [SCRIPT, script],
    '/style.css': [STYLE, style],
  };
  return servePages(async (path) => pages[path], 0);
}
