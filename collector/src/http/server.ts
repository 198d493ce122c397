/** The HTTP server: no sender may take its time, and what can't be read as HTTP is answered like any other mistake. */

import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { REFUSALS } from '@murmuration/shared';
import { problemText } from './problem.ts';

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

const CHECKS = 4; // timeouts are looked for so often within the shortest of them

/** Requests that never became one, by Node's code: status, name, what was expected. */
function describe(code: string | undefined): readonly [status: number, error: string, expected: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [REFUSALS.timeout, 'timeout', 'a whole request in time'];
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'headers-too-large', 'at most 16 KiB of headers'];
  return [400, 'bad-request', 'a well-formed request'];
}

function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, name, expected] = describe(error.code);
  const body = problemText(name, expected, 'another');
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** A server that does not listen yet. */
export function createHttpServer(listener: RequestListener, { headers, request, idle }: Timeouts): Server {
  const options = {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.ceil(Math.min(headers, request) / CHECKS),
  };
  return createServer(options, listener).on('clientError', onClientError);
}
