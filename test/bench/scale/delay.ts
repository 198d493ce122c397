/** A network in which bytes are on their way for a while, between two processes of one machine. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network that runs. */
export interface Delay {
  /** Connections to this port lead to the other end. */
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Starts a network that leads to a port. Bytes take at least so many milliseconds in each direction. */
export async function startDelay(port: number, milliseconds: number): Promise<Delay> {
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from.setNoDelay(true));
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), milliseconds)); // equal times run in their order
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
  };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    pass(near, far);
    pass(far, near);
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
