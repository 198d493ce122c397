/**
 * The connections of a server and their open responses. A connection has a few requests under way at a time; what follows them waits, unread
 * where possible. It ends only after every request accepted on it is answered. Batches are begun at once, and other requests a few in a turn
 * of the event loop, so that nobody who reads keeps batches waiting.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { REQUEST_BYTES } from '../../ingest/capacity.ts';

/** Requests of a connection that are under way at a time. Browsers and proxies send one; senders that pipeline gain little from more. */
const MOST_OPEN = 4;

/**
 * Bytes that are parsed at once. Node would parse all that it has read, up to 64 KiB. That is 1,500 short requests, and it makes two objects of
 * each. Most batches are shorter than this.
 */
const SLICE = 2_048;

/** Requests that are begun after they waited, or slices that are parsed, in one turn of the event loop. Batches come between. */
const STEPS = 16;

/**
 * Milliseconds after which a turn begins no further request. A batch needs some turns, so it waits for a few times as long beside senders who
 * ask again as soon as they are answered, however many they are and whatever a request costs.
 */
const TURN = 1;

/** Bytes that requests may take while they wait for others of their connections: what is read, and `REQUEST_BYTES` for each that is parsed. */
const MOST_WAITING = 96 * 2 ** 20;

interface Connection {
  readonly socket: Socket;
  /** Hands bytes to the parser. */
  readonly parse: (bytes: Buffer) => void;
  /** Bytes that are read and not parsed yet. */
  held: readonly Buffer[];
  /** Responses of requests that are under way. */
  readonly open: Set<ServerResponse>;
  /** Begins the requests that are parsed and wait for these. */
  readonly waiting: (() => void)[];
  /** The most recent of the responses that are under way, and of those that are accepted. Node sends them in their order. */
  begun: ServerResponse | undefined;
  response: ServerResponse | undefined;
  /** Bytes that are parsed since the slice in which the most recent response's request began. */
  since: number;
  /** True if the most recent response is the connection's last. */
  isEnding: boolean;
  /** True if the last request that was answered was refused. */
  isRefused: boolean;
}

/** Ends a connection after its open response. The response announces this (`Connection: close`) if its headers are not sent yet. */
function endAfter(connection: Connection, response: ServerResponse): void {
  connection.isEnding = true;
  if (!response.headersSent) response.setHeader('connection', 'close');
}

const isLast = (response: ServerResponse | undefined): boolean => response?.getHeader('connection') === 'close';

/** True if the answer that ends a connection is given. What still comes is no request, nor a body that anybody reads. */
const isOver = ({ response }: Connection): boolean => response?.writableEnded === true && isLast(response);

/** Bytes that may be parsed at once: a slice, or what is surely left of a body that has begun, since it holds no other request. */
function mostOf({ response, since }: Connection): number {
  const length = response?.req.complete === false ? Number(response.req.headers['content-length'] ?? 0) : 0;
  return Math.max(SLICE, length - since);
}

/** Bytes of what waits on a connection. */
const weightOf = ({ held, waiting }: Connection): number =>
  held.reduce((sum, { length }) => sum + length, 0) + REQUEST_BYTES * waiting.length;

/**
 * True if the next bytes of a connection may be parsed. Node pauses its parser for answers that nobody takes; it runs again when the socket is
 * drained and the answers of later requests are shorter than a buffer.
 */
function mayParse({ socket, open, waiting }: Connection): boolean {
  if (socket.destroyed || socket.writableNeedDrain || waiting.length > 0 || open.size >= MOST_OPEN) return false;
  let unsent = 0;
  for (const { writableLength } of open) unsent += writableLength;
  return unsent < socket.writableHighWaterMark;
}

/** Hands bytes to the parser. A request that begins in them sets `since` to 0. */
function hand(connection: Connection, bytes: Buffer): void {
  connection.parse(bytes);
  connection.since += bytes.length;
}

/** All connections of a server. */
export class Connections {
  readonly #open = new Map<Duplex, Connection>();
  /** Connections that can go on with what waits, each in its turn. */
  readonly #ready = new Set<Connection>();
  #isScheduled = false;
  /** Bytes of what waits on all connections. */
  #weight = 0;
  #isDraining = false;
  /** The number of connections ever added. */
  #added = 0;
  readonly #waiting: (() => void)[] = [];

  add(socket: Socket): void {
    this.#added++;
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (parse === undefined) throw new Error('expected a socket whose data the HTTP parser takes, got another');
    const connection: Connection = {
      ...{ socket, parse: parse.bind(socket), held: [], open: new Set(), waiting: [] },
      ...{ begun: undefined, response: undefined, since: 0, isEnding: false, isRefused: false },
    };
    this.#open.set(socket, connection);
    const proceed = (): void => this.#proceed(connection);
    socket
      .off('data', parse)
      .on('data', (bytes: Buffer) => this.#take(connection, bytes))
      .on('drain', proceed)
      .on('resume', proceed); // Node resumes a socket, too, for instance when a body is read
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#ready.delete(connection);
      this.#change(connection, () => {
        connection.held = [];
        connection.waiting.length = 0;
      });
      this.#tell();
    });
  }

  /**
   * Accepts the request of a response, and begins to answer it in its turn, as soon as few enough of its connection are under way. Requests
   * after a response that ends its connection are not accepted (RFC 9112 section 9.6), because they could not be answered.
   *
   * @param isPrompt true for a request that does not wait for those of other connections, unless the one before it was refused
   */
  begin(response: ServerResponse, answer: () => void, isPrompt = false): void {
    const connection = this.#open.get(response.req.socket);
    if (!connection?.socket.writable || connection.isEnding || isLast(connection.response)) return;
    const { open, waiting } = connection;
    connection.response = response;
    connection.since = 0;
    response.once('finish', () => {
      open.delete(response);
      connection.isRefused = response.statusCode >= 400;
      if (waiting.length > 0 || connection.held.length > 0) this.#proceed(connection);
      if (connection.response !== response) return;
      connection.response = undefined;
      if (connection.isEnding) connection.socket.destroySoon();
      this.#tell();
    });
    if (this.#isDraining) endAfter(connection, response);
    const start = (): void => {
      if (isLast(connection.begun) || response.writableEnded) return;
      connection.begun = response;
      open.add(response);
      answer();
    };
    if (isPrompt && !connection.isRefused && open.size < MOST_OPEN && waiting.length === 0) return start();
    this.#change(connection, () => waiting.push(start));
    this.#proceed(connection);
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
   * connections, and after this many milliseconds.
   */
  async quiet(connections: number, milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    await turn(); // the current turn of the event loop, which may have accepted connections already
    const last = this.#added + connections;
    for (let added = -1; added !== this.#added && added < last && performance.now() < end; ) {
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

  /** Takes bytes that were read. Those of a sender with little under way are parsed at once. */
  #take(connection: Connection, bytes: Buffer): void {
    if (isOver(connection)) return;
    if (bytes.length <= SLICE && connection.held.length === 0 && mayParse(connection)) return hand(connection, bytes);
    this.#change(connection, () => {
      connection.held = [...connection.held, bytes];
    });
    this.#parse(connection);
    this.#proceed(connection);
  }

  /** Parses a slice of what is held, and with it the rest of a body that has begun. */
  #parse(connection: Connection): void {
    do {
      if (isOver(connection))
        this.#change(connection, () => {
          connection.held = [];
        });
      const [bytes, ...others] = connection.held;
      if (bytes === undefined || !mayParse(connection)) return;
      const most = mostOf(connection);
      this.#change(connection, () => {
        connection.held = bytes.length > most ? [bytes.subarray(most), ...others] : others;
      });
      hand(connection, bytes.subarray(0, most));
    } while (connection.response?.req.complete === false);
  }

  /** Changes what waits on a connection. One that adds too much to what waits on all of them is cut off. */
  #change(connection: Connection, change: () => void): void {
    const before = weightOf(connection);
    change();
    const grown = weightOf(connection) - before;
    this.#weight += grown;
    if (grown > 0 && this.#weight > MOST_WAITING) connection.socket.destroy();
  }

  /** Lets a connection go on in a later turn, if it can, so that others come between. Reads nothing more until then. */
  #proceed(connection: Connection): void {
    const { socket, held, open, waiting } = connection;
    if (held.length > 0 && !socket.isPaused()) socket.pause();
    const isReady = waiting.length > 0 ? open.size < MOST_OPEN : held.length > 0 && mayParse(connection);
    if (!isReady || socket.destroyed) return;
    this.#ready.add(connection);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#goOn());
  }

  /** Goes on with some of the connections that are ready: begins a request, or parses a slice. */
  #goOn(): void {
    this.#isScheduled = false;
    const end = performance.now() + TURN;
    for (let step = 0; step < STEPS && (step === 0 || performance.now() < end); step++) {
      const [connection] = this.#ready;
      if (connection === undefined) return;
      this.#ready.delete(connection);
      const { socket, open, waiting } = connection;
      if (waiting.length === 0) this.#parse(connection);
      else if (open.size < MOST_OPEN) {
        const [start] = waiting;
        this.#change(connection, () => waiting.shift());
        start?.();
      }
      if (connection.held.length === 0 && socket.isPaused()) socket.resume();
      this.#proceed(connection);
    }
    const [next] = this.#ready;
    if (next !== undefined) this.#proceed(next);
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
