/** Clients under load: each batch has a cell of its own and is sent until it is acknowledged. Records what the clients know at the end. */

import { bodyOf, CAPACITY } from './cells.ts';
import { Connection, report } from './connection.ts';
import { sleep } from './outcome.ts';

/**
 * The results for a sender that takes too long, as any may on a busy machine: 408, or a closed connection (0). It sends the batch again.
 */
export const TOO_LATE: readonly number[] = [408, 0];

/** Options that a test may set. */
export interface DeviceOptions {
  /** Header lines of every request, each with its line end. */
  readonly header?: string;
  readonly localAddress?: string;
}

/** What devices know about their batches, over several runs of a collector. */
export class Devices {
  readonly today: number;
  /** The number of batches sent at least once. */
  begun = 0;
  /** 1 for each batch that was acknowledged. */
  readonly #acknowledged = new Uint8Array(CAPACITY);
  #again: number[] = [];
  /** How often each status occurred; 0 means that the connection closed instead. */
  readonly statuses = new Map<number, number>();
  /** The number of 503 responses without Retry-After. */
  withoutRetryAfter = 0;
  #header: string;
  #localAddress: string | undefined;

  constructor(today: number, { header = '', localAddress }: DeviceOptions = {}) {
    this.today = today;
    this.#header = header;
    this.#localAddress = localAddress;
  }

  /** For each batch sent at least once: 1 if acknowledged, else 0. */
  get acknowledged(): Uint8Array {
    return this.#acknowledged.subarray(0, this.begun);
  }

  get acknowledgements(): number {
    return this.statuses.get(204) ?? 0;
  }

  /** The next batch to send: unacknowledged batches first. */
  next(): number {
    const n = this.#again.pop() ?? this.begun++;
    if (n >= CAPACITY) throw new RangeError(`expected fewer than ${CAPACITY} batches`);
    return n;
  }

  /** Sends one batch over a connection. Any response except an acknowledgement queues it again. */
  async send(connection: Connection, n: number): Promise<number> {
    try {
      const { status, headers } = await connection.send(report(bodyOf(n, this.today), this.#header));
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      if (status === 204) this.#acknowledged[n] = 1;
      else this.#again.push(n);
      if (status === 503 && !(Number(headers['retry-after']) >= 1)) this.withoutRetryAfter++;
      if (headers['connection'] === 'close') connection.close();
      return status;
    } catch {
      this.statuses.set(0, (this.statuses.get(0) ?? 0) + 1);
      this.#again.push(n);
      return 0;
    }
  }

  /**
   * Runs this many clients, each sending one batch after the other while `running` returns true. Reopens broken connections while the port
   * responds.
   */
  async load(port: number, clients: number, running: () => boolean): Promise<void> {
    const client = async (): Promise<void> => {
      let connection = new Connection(port, this.#localAddress);
      for (let refused = 0; running() && refused < 3; ) {
        const status = await this.send(connection, this.next());
        refused = status === 0 ? refused + 1 : 0;
        if (status !== 204) await sleep(status === 0 ? 1 : 10);
        if (connection.closed || connection.socket.destroyed) connection = new Connection(port, this.#localAddress);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  /** Sends unacknowledged batches until all are acknowledged, or until none has been for a minute. */
  async settle(port: number): Promise<void> {
    let [known, since] = [this.acknowledgements, performance.now()];
    await this.load(port, 16, () => {
      if (this.acknowledgements > known) [known, since] = [this.acknowledgements, performance.now()];
      return this.#again.length > 0 && performance.now() < since + 60_000;
    });
  }
}
