/** The connections of a server, and what is under way on each: none ends before all that was accepted on it is answered. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

interface Connection {
  readonly socket: Socket;
  /** Of the responses that are under way the one that was begun last; Node sends it after the others. */
  response: ServerResponse | undefined;
  /** Whether this response is the connection's last. */
  isEnding: boolean;
}

/** Ends a connection after the response that is under way, which says so where it still can. */
function endAfter(connection: Connection, response: ServerResponse): void {
  connection.isEnding = true;
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** All connections of a server. */
export class Connections {
  readonly #open = new Map<Duplex, Connection>();
  #isDraining = false;
  /** How many there ever were. */
  #added = 0;

  add(socket: Socket): void {
    this.#added++;
    this.#open.set(socket, { socket, response: undefined, isEnding: false });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Whether a request is accepted, whose response this is: none is after a response that ends its connection (RFC 9112 section 9.6), for it could not be answered. */
  begin(response: ServerResponse): boolean {
    const connection = this.#open.get(response.req.socket);
    if (!connection?.socket.writable || connection.isEnding || connection.response?.getHeader('connection') === 'close') return false;
    connection.response = response;
    response.once('finish', () => {
      if (connection.response !== response) return;
      connection.response = undefined;
      if (connection.isEnding) connection.socket.destroySoon();
    });
    if (this.#isDraining) endAfter(connection, response);
    return true;
  }

  /** Of the responses that are under way on a connection the one that was begun last. */
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

  /** Resolves when the system has no more connections to accept, and what they said is read; after so many milliseconds in any case. */
  async quiet(most: number): Promise<void> {
    const end = performance.now() + most;
    await turn(); // the one that runs, which may have asked the system before
    for (let added = -1; added !== this.#added && performance.now() < end; ) {
      added = this.#added;
      await turn(); // accepts one, where any waits
    }
    await turn(); // reads what the last one said
  }

  /** Ends the connections that have never said a word. */
  endSilent(): void {
    for (const { socket } of this.#open.values()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Ends the connections on which no request is under way. */
  endUnasked(): void {
    for (const { socket, response } of this.#open.values()) if (response === undefined) socket.destroy();
  }
}
