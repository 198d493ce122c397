/** Tracks the connections of a server and their open responses. A connection ends only after every request accepted on it is answered. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

interface Connection {
  readonly socket: Socket;
  /** The most recent of the open responses. Node sends it after the others. */
  response: ServerResponse | undefined;
  /** Whether this response is the connection's last. */
  isEnding: boolean;
}

/** Ends a connection after its open response. The response announces this (`Connection: close`) if its headers are not sent yet. */
function endAfter(connection: Connection, response: ServerResponse): void {
  connection.isEnding = true;
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** All connections of a server. */
export class Connections {
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
   * Whether to accept the request of this response. Requests after a response that ends its connection are not accepted (RFC 9112 section
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
