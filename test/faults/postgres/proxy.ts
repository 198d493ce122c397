/** A proxy between collectors and their database that can cut and hold connections, also between a COMMIT and its answer. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The statement as the driver sends it, after its length. */
const COMMIT = Buffer.from('COMMIT\0', 'latin1');

/**
 * What it does: passes everything on; refuses connections, and cuts those that are open; holds what has arrived; or cuts a connection before
 * its COMMIT reaches the database, or after the database has answered it.
 */
type Mode = 'pass' | 'refuse' | 'hold' | 'cut-before-commit' | 'cut-after-commit';

/** A proxy that runs. */
export interface DatabaseProxy {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  /** Sets what it does. After `most` cuts, it passes everything on again. */
  readonly set: (mode: Mode, most?: number) => void;
  /** Leads further connections to another server, and cuts those that are open. */
  readonly lead: (port: number) => void;
  /** Connections that were cut at a COMMIT. */
  readonly cuts: () => number;
  readonly close: () => Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** Starts a proxy in front of a database. */
export async function startProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const pairs = new Set<Pair>();
  let port = Number(target.port);
  let [mode, left, cuts]: [Mode, number, number] = ['pass', Number.POSITIVE_INFINITY, 0];

  const cut = ({ client, server }: Pair): void => {
    client.destroy();
    server.destroy();
  };
  const cutAtCommit = (pair: Pair): void => {
    cuts++;
    if (--left <= 0) mode = 'pass';
    cut(pair);
  };
  const proxy = createServer((client) => {
    if (mode === 'refuse') return void client.destroy();
    const server = connect(port, target.hostname);
    const pair: Pair = { client, server };
    let isLost = false;
    pairs.add(pair);
    client.on('data', (chunk) => {
      if (chunk.includes(COMMIT) && mode === 'cut-before-commit') return cutAtCommit(pair);
      if (chunk.includes(COMMIT) && mode === 'cut-after-commit') isLost = true;
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (isLost) cutAtCommit(pair);
      else client.write(chunk);
    });
    for (const socket of [client, server]) {
      socket.setNoDelay(true).on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        cut(pair);
      });
      if (mode === 'hold') socket.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  target.port = `${(proxy.address() as AddressInfo).port}`;

  return {
    url: target.href,
    set: (next, most = Number.POSITIVE_INFINITY) => {
      [mode, left] = [next, most];
      for (const pair of pairs) {
        if (mode === 'refuse') cut(pair);
        for (const socket of [pair.client, pair.server]) {
          if (mode === 'hold') socket.pause();
          else socket.resume();
        }
      }
    },
    lead: (other) => {
      port = other;
      for (const pair of pairs) cut(pair);
    },
    cuts: () => cuts,
    close: async () => {
      for (const pair of pairs) cut(pair);
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
