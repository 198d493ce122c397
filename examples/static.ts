/** The small web server of the examples: a few files under a strict policy. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Nothing inline, nothing from elsewhere; reports may go to a collector on this machine. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self' http://127.0.0.1:*; style-src 'self'";

export const HTML = 'text/html; charset=utf-8';
export const SCRIPT = 'text/javascript; charset=utf-8';
export const STYLE = 'text/css; charset=utf-8';

/** The type and body of a path; undefined where there is nothing. */
export type Pages = (path: string) => Promise<readonly [type: string, body: string] | undefined>;

/** A running server. */
export interface WebServer {
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Serves on 127.0.0.1; port 0 takes a free one. */
export async function servePages(pages: Pages, port: number): Promise<WebServer> {
  const server = createServer((request, response) => {
    pages((request.url ?? '/').replace(/\?.*/, '')).then(
      (page = ['text/plain', 'nothing here\n']) =>
        response
          .writeHead(page[0] === 'text/plain' ? 404 : 200, {
            'content-type': page[0],
            'content-security-policy': POLICY,
            'cache-control': 'no-cache',
          })
          .end(page[1]),
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
