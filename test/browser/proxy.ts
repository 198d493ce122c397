/** A proxy between a page and its collector, in which a test holds answers back, counts them or gives its own. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Between {
  /** Where pages find it, with a slash at the end. */
  readonly address: string;
  readonly close: () => void;
}

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
    const asked = ['if-none-match', 'cache-control'].flatMap((name) => (headers[name] ? [[name, String(headers[name])] as const] : []));
    const answer = await fetch(behind + url, { headers: Object.fromEntries(asked) });
    const kept = ['content-type', 'etag'].flatMap((name) =>
      answer.headers.has(name) ? [[name, answer.headers.get(name) ?? ''] as const] : [],
    );
    response.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(await answer.arrayBuffer()));
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
