/** `node examples/web/serve.ts [--collector URL] [--port N]`: the two pages and the two bundles, under a strict policy. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';

/** Nothing inline, nothing from elsewhere; reports may go to a collector on this machine. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self' http://127.0.0.1:*; style-src 'self'";

const here = (file: string): URL => new URL(file, import.meta.url);
const bundle = (file: string): URL => new URL(`../../client/dist/browser/${file}`, import.meta.url);

const html = 'text/html; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

const FILES: { readonly [path: string]: readonly [file: URL, type: string] } = {
  '/': [here('index.html'), html],
  '/script.html': [here('script.html'), html],
  '/style.css': [here('style.css'), 'text/css; charset=utf-8'],
  '/page.js': [here('page.js'), script],
  '/app.js': [here('app.js'), script],
  '/schema.js': [here('schema.js'), script],
  '/script.js': [here('script.js'), script],
  '/murmuration.js': [bundle('murmuration.js'), script],
  '/murmuration.min.js': [bundle('murmuration.min.js'), script],
};

/** A running server. */
export interface WebServer {
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Serves the pages on 127.0.0.1; port 0 takes a free one. `collector` is where they report to. */
export async function serveWeb(collector: string, port: number): Promise<WebServer> {
  const answer = async (path: string): Promise<readonly [status: number, type: string, body: string]> => {
    const [file, type] = FILES[path] ?? [];
    if (file === undefined || type === undefined) return [404, 'text/plain', `expected one of ${Object.keys(FILES).join(' ')}\n`];
    const text = await readFile(file, 'utf8');
    return [200, type, type === html ? text.replace(/data-collector="[^"]*"/, `data-collector="${collector}"`) : text];
  };
  const server = createServer((request, response) => {
    answer((request.url ?? '/').replace(/\?.*/, '')).then(
      ([status, type, body]) =>
        response.writeHead(status, { 'content-type': type, 'content-security-policy': POLICY, 'cache-control': 'no-cache' }).end(body),
      (error: Error) => response.writeHead(500).end(`${error.message}: npm run setup builds the bundles\n`),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { collector: { type: 'string', default: 'http://127.0.0.1:8080' }, port: { type: 'string', default: '8090' } },
  });
  const { address } = await serveWeb(new URL(values.collector).origin, Number(values.port));
  process.stdout.write(`${address} reports to ${values.collector}\n`);
}
