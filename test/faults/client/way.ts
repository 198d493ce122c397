/** A way to a server that can be cut, as a network is. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Opens a way to a server on this machine. Chromium's own emulation of being offline lets through what a page that is left
 * sends with keepalive.
 */
export async function openWay(
  address: string,
): Promise<{ readonly address: string; readonly set: (isOnline: boolean) => void; readonly close: () => void }> {
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  let isOnline = true;
  const server = createServer((socket) => {
    if (!isOnline) {
      socket.destroy();
      return;
    }
    const onward = connect(Number(new URL(address).port), '127.0.0.1');
    for (const end of [socket, onward]) sockets.add(end.on('error', cut));
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (next) => {
      isOnline = next;
      cut();
    },
    close: () => {
      server.close();
      cut();
    },
  };
}
