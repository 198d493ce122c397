/**
 * The HTTP server. It limits how long senders may take, answers every request that it accepts, and answers requests that are not valid HTTP
 * with a refusal like any other mistake.
 */

import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { bodyOf, type Refusal, refusal } from '../../base/refusal.ts';
import { refuse } from '../../ingest/refuse.ts';
import { isReport } from '../../ingest/route.ts';
import { Connections } from './connections.ts';

/** Time limits for senders, in milliseconds. */
export interface Timeouts {
  /** For the headers of a request. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** Between two requests of a connection. */
  readonly idle: number;
  /** Without a byte of an answer being taken. Default: 20 s. */
  readonly write?: number;
  /** From the moment the server is told to stop until connections are cut. Default: 7 s. */
  readonly stop?: number;
}

export const TIMEOUTS: Required<Timeouts> = { headers: 10_000, request: 20_000, idle: 10_000, write: 20_000, stop: 7_000 };

/**
 * Length of the accept queue, where the system allows it. Beyond it the system drops or resets new connections; Node's default of 511
 * overflows during one busy turn of the event loop.
 */
const BACKLOG = 4_096;

const CHECKS = 4; // Node checks timeouts this often within the shortest of them

/** The refusal for a request that could not be parsed, by Node's error code. */
function parserRefusal(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusal('timeout', 'a whole request in time', 'another');
  if (code === 'HPE_HEADER_OVERFLOW') return refusal('headers-too-large', 'at most 16 KiB of headers', 'more');
  return refusal('bad-request', 'a well-formed request', 'another');
}

/** Writes a refusal directly to the socket, because no request was parsed and so no response object exists. */
function refuseBare(socket: Duplex, refusal: Refusal): void {
  const body = bodyOf(refusal);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** An HTTP server. */
export interface HttpServer {
  /** Starts listening and resolves to the address. Rejects when it can't listen. */
  readonly listen: (port: number, host: string) => Promise<AddressInfo>;
  /** Answers every request that it or the system has accepted, then stops. */
  readonly close: () => Promise<void>;
}

/**
 * Creates a server that does not listen yet.
 *
 * @param onRefusal called for each refusal that the server itself sends
 */
export function createHttpServer(
  listener: RequestListener,
  timeouts: Timeouts,
  onRefusal: (refusal: Refusal) => void = () => undefined,
): HttpServer {
  const { headers, request, idle, write, stop } = { ...TIMEOUTS, ...timeouts };
  const connections = new Connections();
  const turnAway = (response: ServerResponse, reason: Refusal): void => {
    refuse(response, reason, true);
    onRefusal(reason);
  };
  const answer: RequestListener = (incoming, response) => {
    if (incoming.httpVersion !== '1.1') turnAway(response, refusal('bad-request', 'HTTP/1.1', `HTTP/${incoming.httpVersion}`));
    else if (incoming.headers.host === undefined) turnAway(response, refusal('bad-request', 'a Host', 'none'));
    else if (incoming.headers['transfer-encoding'] !== undefined)
      turnAway(response, refusal('length-required', 'a Content-Length', 'none'));
    else listener(incoming, response);
  };
  const onRequest: RequestListener = (incoming, response) =>
    connections.begin(response, () => answer(incoming, response), isReport(incoming));
  const onExpectation: RequestListener = ({ headers }, response) =>
    connections.begin(response, () => turnAway(response, refusal('bad-expectation', 'no Expect but 100-continue', headers.expect)));
  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const response = connections.lastOf(socket);
    if (response === undefined) {
      const reason = parserRefusal(error.code);
      refuseBare(socket, reason);
      onRefusal(reason);
    } else if (response.headersSent || response.req.complete)
      connections.end(socket); // the error concerns bytes after that request
    else turnAway(response, parserRefusal(error.code));
  };
  // Nothing was sent or received for `write` milliseconds. A connection that waits for its answer to be computed is quiet, too.
  const onTimeout = (socket: Socket): void => {
    if (connections.lastOf(socket) === undefined || socket.writableLength > 0) socket.destroy();
  };
  const options = {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.ceil(Math.min(headers, request) / CHECKS),
    requireHostHeader: false, // we answer this ourselves, because Node's own response has no body
  };
  const server = createServer(options, onRequest)
    .on('connection', (socket) => connections.add(socket))
    .on('checkExpectation', onExpectation)
    .on('clientError', onClientError)
    .setTimeout(write, onTimeout);
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const started = performance.now();
    connections.drain();
    await connections.quiet(BACKLOG, stop); // no more can wait unread at the signal, however busy the machine is
    const closed = once(server, 'close');
    // The `close` of node:http also destroys connections whose answers are written but not sent yet. So it waits until none is open.
    Server.prototype.close.call(server);
    connections.endSilent();
    const left = stop - (performance.now() - started);
    const late = [
      setTimeout(() => connections.endUnasked(), Math.min(headers, left)),
      setTimeout(() => server.closeAllConnections(), Math.min(request, left)),
    ];
    await Promise.race([closed, connections.answered()]);
    server.close();
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
