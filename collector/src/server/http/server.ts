/**
 * The HTTP server. It limits how long senders may take, answers every request that it accepts, and answers requests that are not valid HTTP
 * with a refusal like any other mistake.
 */

import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { bodyOf, type Refusal, refusal } from '../../base/refusal.ts';
import { refuse } from '../../ingest/refuse.ts';

// Tracks the connections of a server and their open responses. A connection ends only after every request accepted on it is answered.

interface Connection {
  readonly socket: Socket;
  /** The most recent of the open responses. Node sends it after the others. */
  response: ServerResponse | undefined;
  /** True if this response is the connection's last. */
  isEnding: boolean;
}

/** Ends a connection after its open response. The response announces this (`Connection: close`) if its headers are not sent yet. */
function endAfter(connection: Connection, response: ServerResponse): void {
  connection.isEnding = true;
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** All connections of a server. */
class Connections {
  readonly #open = new Map<Duplex, Connection>();
  #isDraining = false;
  /** The number of connections ever added. */
  #added = 0;
  readonly #waiting: (() => void)[] = [];

  add(socket: Socket): void {
    this.#added++;
    this.#open.set(socket, { socket, response: undefined, isEnding: false });
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#tell();
    });
  }

  /**
   * Decides whether to accept the request of this response. Requests after a response that ends its connection are not accepted (RFC 9112 section
   * 9.6), because they could not be answered.
   */
  begin(response: ServerResponse): boolean {
    const connection = this.#open.get(response.req.socket);
    if (!connection?.socket.writable || connection.isEnding || connection.response?.getHeader('connection') === 'close') return false;
    connection.response = response;
    response.once('finish', () => {
      if (connection.response !== response) return;
      connection.response = undefined;
      if (connection.isEnding) connection.socket.destroySoon();
      this.#tell();
    });
    if (this.#isDraining) endAfter(connection, response);
    return true;
  }

  /** The most recent of a connection's open responses. */
  lastOf(socket: Duplex): ServerResponse | undefined {
    return this.#open.get(socket)?.response;
  }

  /** Ends a connection after its last response. */
  end(socket: Duplex): void {
    const connection = this.#open.get(socket);
    if (connection?.response !== undefined) endAfter(connection, connection.response);
  }

  /** Ends each connection after its last response. */
  drain(): void {
    this.#isDraining = true;
    for (const socket of this.#open.keys()) this.end(socket);
  }

  /**
   * Resolves when the system has no more connections to accept and the data of the last one is read; in any case after this many
   * milliseconds.
   */
  async quiet(most: number): Promise<void> {
    const end = performance.now() + most;
    await turn(); // the current turn of the event loop, which may have accepted connections already
    for (let added = -1; added !== this.#added && performance.now() < end; ) {
      added = this.#added;
      await turn(); // accepts a connection, if one is waiting
    }
    await turn(); // reads the data of the last connection
  }

  /** Resolves when every response that was begun is sent, or its connection has ended. */
  async answered(): Promise<void> {
    while (!this.#isAnswered()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the connections that have not sent a byte. */
  endSilent(): void {
    for (const { socket } of this.#open.values()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Ends the connections without an open request. */
  endUnasked(): void {
    for (const { socket, response } of this.#open.values()) if (response === undefined) socket.destroy();
  }

  #isAnswered(): boolean {
    return [...this.#open.values()].every(({ response }) => response === undefined);
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

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

/**
 * How long a stopping server keeps accepting, in milliseconds. During a busy turn, connections that the system has already accepted may
 * still wait unread.
 */
const LAST_CALL = 1_000;

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
  const onRequest: RequestListener = (incoming, response) => {
    if (!connections.begin(response)) return;
    if (incoming.httpVersion !== '1.1') turnAway(response, refusal('bad-request', 'HTTP/1.1', `HTTP/${incoming.httpVersion}`));
    else if (incoming.headers.host === undefined) turnAway(response, refusal('bad-request', 'a Host', 'none'));
    else listener(incoming, response);
  };
  const onExpectation: RequestListener = ({ headers }, response) => {
    if (connections.begin(response)) turnAway(response, refusal('bad-expectation', 'no Expect but 100-continue', headers.expect));
  };
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
    await connections.quiet(Math.min(LAST_CALL, stop));
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
