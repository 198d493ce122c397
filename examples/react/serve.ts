/** `node examples/react/serve.ts [--collector URL] [--port N]`: the app, bundled with esbuild. */

import { bundle } from '../bundle.ts';
import { serveFromCommandLine } from '../command-line.ts';
import { HTML, SCRIPT, servePages, type WebServer } from '../static.ts';

/** Serves the app. `options` go to esbuild. */
export async function serveReact(collector: string, port: number, options?: Parameters<typeof bundle>[1]): Promise<WebServer> {
  const script = await bundle(new URL('main.tsx', import.meta.url), options);
  const page = `<!doctype html><html lang="en" data-collector="${collector}"><meta charset="utf-8"><title>Recipes</title>
<div id="root"></div><script type="module" src="/main.js"></script></html>`;
  const pages: { readonly [path: string]: readonly [string, string] } = { '/': [HTML, page], '/main.js': [SCRIPT, script] };
  return servePages(async (path) => pages[path], port);
}

if (import.meta.main) await serveFromCommandLine((collector, port) => serveReact(collector, port));
