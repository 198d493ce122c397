/** A port whose connections lead to another server, through what a test puts between. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Starts a relay: `reach` connects to the other end, and `pass` moves what comes from one end to the other, once for each direction. */
export async function startRelay(reach: () => Socket, pass: (from: Socket, to: Socket) => void): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = reach();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      pass(from, to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
