/** The HTTP server: no sender may take its time, all that is accepted is answered, and what can't be read as HTTP is answered like any other mistake. */

import { once } from 'node:events';
import { createServer, type RequestListener, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Connections } from './connections.ts';
import { bodyOf, type Refusal, refusal } from './refusal.ts';
import { refuse } from './refuse.ts';

/** How long a sender may take, in milliseconds. */
export interface Timeouts {
  /** For the headers of a request. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** Between two requests of a connection. */
  readonly idle: number;
}

export const TIMEOUTS: Timeouts = { headers: 10_000, request: 20_000, idle: 10_000 };

/** Connections that may wait to be accepted, where the system allows as many: beyond them it drops or resets new ones, and Node's own 511 are soon beyond a busy turn. */
const BACKLOG = 4_096;

/** So many milliseconds a server that is to stop goes on accepting at most: what the system took for it before may wait unread, behind a busy turn. */
const LAST_CALL = 1_000;

const CHECKS = 4; // timeouts are looked for so often within the shortest of them

/** What is said of a request that never became one, by Node's code. */
function parserRefusal(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusal('timeout', 'a whole request in time', 'another');
  if (code === 'HPE_HEADER_OVERFLOW') return refusal('headers-too-large', 'at most 16 KiB of headers', 'more');
  return refusal('bad-request', 'a well-formed request', 'another');
}

/** Refuses where no request was read that a response could belong to. */
function refuseBare(socket: Duplex, refusal: Refusal): void {
  const body = bodyOf(refusal);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** An HTTP server. */
export interface HttpServer {
  /** Listens, and resolves to where; rejects where it can't. */
  readonly listen: (port: number, host: string) => Promise<AddressInfo>;
  /** Answers every request that it, or the system for it, accepted, then stops. */
  readonly close: () => Promise<void>;
}

/** A server that does not listen yet. */
export function createHttpServer(listener: RequestListener, { headers, request, idle }: Timeouts): HttpServer {
  const connections = new Connections();
  const onRequest: RequestListener = (incoming, response) => {
    if (!connections.begin(response)) return;
    if (incoming.httpVersion !== '1.1' || incoming.headers.host !== undefined) listener(incoming, response);
    else refuse(response, refusal('bad-request', 'a Host', 'none'), true);
  };
  const onExpectation: RequestListener = ({ headers }, response) => {
    if (connections.begin(response)) refuse(response, refusal('bad-expectation', 'no Expect but 100-continue', headers.expect), true);
  };
  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const response = connections.lastOf(socket);
    if (response === undefined) refuseBare(socket, parserRefusal(error.code));
    else if (response.headersSent || response.req.complete)
      connections.end(socket); // it is about what came after that request
    else refuse(response, parserRefusal(error.code), true);
  };
  const options = {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.ceil(Math.min(headers, request) / CHECKS),
    requireHostHeader: false, // Node's own answer would be empty
  };
  const server = createServer(options, onRequest)
    .on('connection', (socket) => connections.add(socket))
    .on('checkExpectation', onExpectation)
    .on('clientError', onClientError);
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    connections.drain();
    await connections.quiet(LAST_CALL);
    const closed = once(server, 'close');
    server.close();
    connections.endSilent();
    // Node looks for timeouts no longer: who is still sending has the time that anybody has.
    const late = [setTimeout(() => connections.endUnasked(), headers), setTimeout(() => server.closeAllConnections(), request)];
    await closed;
    late.forEach(clearTimeout);
  };
  let closing: Promise<void> | undefined;
  return {
    listen: async (port, host) => {
      await once(server.listen(port, host, BACKLOG), 'listening');
      return server.address() as AddressInfo;
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
