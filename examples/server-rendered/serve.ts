/** `node examples/server-rendered/serve.ts [--collector URL] [--port N]`: the React app, rendered on the server for each request. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundle } from '../bundle.ts';
import { serveFromCommandLine } from '../command-line.ts';
import { HTML, SCRIPT, servePages, type WebServer } from '../static.ts';

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Serves the page and its script. */
export async function serveRendered(collector: string, port: number): Promise<WebServer> {
  const rendering = path('dist/server.js');
  await build({
    entryPoints: [path('server.tsx')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    packages: 'external',
    outfile: rendering,
  });
  const { render } = (await import(rendering)) as typeof import('./server.tsx');
  const script = await bundle(new URL('main.tsx', import.meta.url));
  return servePages(async (path) => {
    if (path === '/main.js') return [SCRIPT, script];
    if (path !== '/') return undefined;
    const page = `<!doctype html><html lang="en" data-collector="${collector}"><meta charset="utf-8"><title>Recipes</title>
<div id="root">${render()}</div><script type="module" src="/main.js"></script></html>`;
    return [HTML, page];
  }, port);
}

if (import.meta.main) await serveFromCommandLine(serveRendered);
