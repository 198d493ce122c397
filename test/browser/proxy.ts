/** A proxy between a page and its collector, in which a test holds answers back, counts them or gives its own. */

import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Between {
  /** Where pages find it, with a slash at the end. */
  readonly address: string;
  readonly close: () => void;
}

/** Headers of requests and of answers that pass. */
const PASSED = ['accept-encoding', 'if-none-match', 'cache-control'] as const;
const KEPT = ['content-type', 'content-encoding', 'etag'] as const;

/**
 * Starts a proxy.
 *
 * @param behind the address of the collector
 * @param mayPass sees each request first; a request does not pass while it waits, nor where it returns false
 */
export async function startProxy(
  behind: string,
  mayPass: (url: string, response: ServerResponse) => boolean | Promise<boolean>,
): Promise<Between> {
  const server = createServer(async ({ url = '/', headers }, response) => {
    if (!(await mayPass(url, response))) return;
    const asked = Object.fromEntries(PASSED.map((name) => [name, headers[name] ?? '']));
    get(behind + url, { headers: asked }, (answer) => {
      const kept = KEPT.flatMap((name) => (answer.headers[name] ? [[name, answer.headers[name]] as const] : []));
      answer.pipe(response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept)));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
