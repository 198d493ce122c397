/** `node examples/service-worker/serve.ts [--collector URL] [--port N]`: a page, and the service worker that records for it. */

import { readFile } from 'node:fs/promises';
import { bundle } from '../bundle.ts';
import { serveFromCommandLine } from '../command-line.ts';
import { HTML, SCRIPT, servePages, type WebServer } from '../static.ts';

const here = (file: string): URL => new URL(file, import.meta.url);

/** Serves the page and both scripts. */
export async function serveReader(collector: string, port: number): Promise<WebServer> {
  const [page, script, worker] = await Promise.all([
    readFile(here('index.html'), 'utf8'),
    bundle(here('page.js')),
    bundle(here('worker.js'), { format: 'iife' }),
  ]);
  const pages: { readonly [path: string]: readonly [string, string] } = {
    '/': [HTML, page.replace(/data-collector="[^"]*"/, `data-collector="${collector}"`)],
    '/page.js': [SCRIPT, script],
    '/worker.js': [SCRIPT, worker],
  };
  return servePages(async (path) => pages[path], port);
}

if (import.meta.main) await serveFromCommandLine(serveReader);
