/** The server of `testTransport`, for transports in Node and, with more to serve, in a browser. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Received } from '@murmuration/client/testing';

export interface RunningServer {
  readonly address: string;
  /** All that was received since the last call. */
  readonly received: () => readonly Received[];
  readonly close: () => Promise<void>;
}

/**
 * Listens on a free port. What `serve` answers is none of the suite's.
 *
 * @param receive what a body is answered with, instead of what its path says
 */
export async function startServer(
  serve: (path: string, response: ServerResponse) => boolean = () => false,
  receive?: (path: string, body: string) => number,
): Promise<RunningServer> {
  const requests: Received[] = [];
  const received = (): readonly Received[] => requests.splice(0);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '/', headers } = request;
    const [path = '', kind, number] = /^\/([a-z-]+)\/?(\d+)?/.exec(url) ?? [];
    if (serve(url, response)) return;
    if (url === '/received') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(received()));
      return;
    }
    const body = await text(request);
    if (receive) {
      response.writeHead(receive(url, body)).end();
      return;
    }
    requests.push({ method, path: url, headers, body });
    if (kind === 'nothing') request.socket.destroy();
    else if (kind === 'redirect') response.writeHead(307, { location: '/status/204' }).end();
    else if (kind === 'refusal') response.writeHead(410, { 'content-type': 'application/json' }).end('{"error":"retired"}\n');
    else if (kind === 'retry-after') response.writeHead(429, { 'retry-after': number }).end();
    else response.writeHead(path === '' ? 404 : Number(number)).end();
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
