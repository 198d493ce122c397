/** `node examples/web/serve.ts [--collector URL] [--port N]`: the two pages and the two bundles, under a strict policy. */

import { readFile } from 'node:fs/promises';
import { serveFromCommandLine } from '../command-line.ts';
import { HTML, SCRIPT, STYLE, servePages, type WebServer } from '../static.ts';

const here = (file: string): URL => new URL(file, import.meta.url);
const bundle = (file: string): URL => new URL(`../../client/dist/browser/${file}`, import.meta.url);

const FILES: { readonly [path: string]: readonly [file: URL, type: string] } = {
  '/': [here('index.html'), HTML],
  '/script.html': [here('script.html'), HTML],
  '/style.css': [here('style.css'), STYLE],
  '/page.js': [here('page.js'), SCRIPT],
  '/app.js': [here('app.js'), SCRIPT],
  '/schema.js': [here('schema.js'), SCRIPT],
  '/script.js': [here('script.js'), SCRIPT],
  '/murmuration.js': [bundle('murmuration.js'), SCRIPT],
  '/murmuration.all.min.js': [bundle('murmuration.all.min.js'), SCRIPT],
};

/** Serves the pages on 127.0.0.1; port 0 takes a free one. `collector` is where they report to. */
export const serveWeb = (collector: string, port: number): Promise<WebServer> =>
  servePages(async (path) => {
    const [file, type] = FILES[path] ?? [];
    if (file === undefined || type === undefined) return undefined;
    const text = await readFile(file, 'utf8');
    return [type, type === HTML ? text.replace(/data-collector="[^"]*"/, `data-collector="${collector}"`) : text];
  }, port);

if (import.meta.main) await serveFromCommandLine(serveWeb);
