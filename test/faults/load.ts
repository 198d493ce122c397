/** Clients under load: each batch in a cell of its own, sent until it is acknowledged, and what the clients know in the end. */

import { bodyOf, CAPACITY } from './cells.ts';
import { Connection, report } from './connection.ts';
import { sleep } from './outcome.ts';

/** What a test may change. */
export interface DeviceOptions {
  /** Header lines of every request, each with its end. */
  readonly header?: string;
  readonly localAddress?: string;
  /** The least length of a body: one that is shorter ends in spaces. */
  readonly bodyBytes?: number;
}

/** Devices' knowledge of their batches, over several lives of a collector. */
export class Devices {
  readonly today: number;
  /** Batches that were begun. */
  begun = 0;
  /** 1 for each batch that was acknowledged. */
  readonly #acknowledged = new Uint8Array(CAPACITY);
  #again: number[] = [];
  /** How often each status came; 0 stands for a connection that closed instead. */
  readonly statuses = new Map<number, number>();
  /** How many 503 did not say when to come again. */
  withoutRetryAfter = 0;
  #header: string;
  #localAddress: string | undefined;
  #bodyBytes: number;

  constructor(today: number, { header = '', localAddress, bodyBytes = 0 }: DeviceOptions = {}) {
    this.today = today;
    this.#header = header;
    this.#bodyBytes = bodyBytes;
    this.#localAddress = localAddress;
  }

  /** 1 or 0 for each batch that was begun. */
  get acknowledged(): Uint8Array {
    return this.#acknowledged.subarray(0, this.begun);
  }

  get acknowledgements(): number {
    return this.statuses.get(204) ?? 0;
  }

  /** The next batch to send: what was not acknowledged first. */
  next(): number {
    const n = this.#again.pop() ?? this.begun++;
    if (n >= CAPACITY) throw new RangeError(`expected fewer than ${CAPACITY} batches`);
    return n;
  }

  /** Sends one batch over a connection. Whatever comes but an acknowledgement puts it back. */
  async send(connection: Connection, n: number): Promise<number> {
    try {
      const { status, headers } = await connection.send(report(bodyOf(n, this.today).padEnd(this.#bodyBytes), this.#header));
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

  /** So many clients, each one batch after the other while `running` says so. Connections that break are made again, if the port still answers. */
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

  /** Sends what was begun and not acknowledged, until it is, or until nothing more was for a minute. */
  async settle(port: number): Promise<void> {
    let [known, since] = [this.acknowledgements, performance.now()];
    await this.load(port, 16, () => {
      if (this.acknowledgements > known) [known, since] = [this.acknowledgements, performance.now()];
      return this.#again.length > 0 && performance.now() < since + 60_000;
    });
  }
}
