/** HTTP/1.1 over one socket, byte for byte as given. It is fast, and can send what no correct client would. */

import { connect, type Socket } from 'node:net';

/** A response. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

interface Waiter {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A `POST /v1/reports` of a body, with additional header lines. */
export function report(body: string | Buffer, headers = ''): Buffer {
  const head = `POST /v1/reports?key=pk_test HTTP/1.1\r\nHost: t\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

function parseHead(head: string): Pick<Answer, 'status' | 'headers'> {
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.slice(9, 12)), headers };
}

/** One connection. Requests may be pipelined. */
export class Connection {
  readonly socket: Socket;
  /** Closed: requests without a response have failed. */
  closed = false;
  #waiters: Waiter[] = [];
  #text = '';

  constructor(port: number, localAddress?: string) {
    this.socket = connect({ port, host: '127.0.0.1', ...(localAddress !== undefined && { localAddress }) });
    this.socket.setNoDelay(true).setEncoding('latin1');
    this.socket.on('data', (chunk: string) => this.#read(chunk));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
      for (const { reject } of this.#waiters.splice(0)) reject(new Error('closed'));
    });
  }

  /** The number of requests that wait for their response. */
  get pending(): number {
    return this.#waiters.length;
  }

  /** Sends bytes and resolves to the next response that belongs to no earlier request. Rejects when the connection closes first. */
  send(bytes: Buffer): Promise<Answer> {
    if (this.closed) return Promise.reject(new Error('closed'));
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    for (;;) {
      const end = this.#text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const { status, headers } = parseHead(this.#text.slice(0, end));
      const length = Number(headers['content-length'] ?? 0);
      if (this.#text.length < end + 4 + length) return;
      const body = this.#text.slice(end + 4, end + 4 + length);
      this.#text = this.#text.slice(end + 4 + length);
      if (status >= 200) this.#waiters.shift()?.resolve({ status, headers, body });
    }
  }
}
