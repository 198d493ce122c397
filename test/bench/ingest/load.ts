/** Load over plain sockets: closed loop, where each connection waits for its answer, and open loop, where requests come when they come. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What a load saw. */
export interface Load {
  readonly seconds: number;
  readonly acknowledged: number;
  /** Answers other than 204. */
  readonly refused: number;
  /** Milliseconds from when each request was due until its answer; closed loops have none. */
  readonly latencies: readonly number[];
}

const SPACE = 0x20;

async function open(port: number, connections: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1', noDelay: true }));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

/** Whether an answer begins with 204. One answer comes in one piece: it is shorter than a packet, and none other is under way. */
const isAcknowledged = (answer: Buffer): boolean => answer[8] === SPACE && answer[9] === 0x32 && answer[10] === 0x30 && answer[11] === 0x34;

/** Sends the next request on each connection as soon as the last is answered. */
export async function closedLoop(port: number, connections: number, next: () => Buffer, seconds: number): Promise<Load> {
  const sockets = await open(port, connections);
  let [acknowledged, refused] = [0, 0];
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    sockets.map((socket) => {
      socket.on('data', (answer) => {
        if (isAcknowledged(answer)) acknowledged++;
        else refused++;
        if (performance.now() < end) socket.write(next());
        else socket.destroy();
      });
      socket.write(next());
      return once(socket, 'close');
    }),
  );
  return { seconds: (performance.now() - started) / 1000, acknowledged, refused, latencies: [] };
}

/** Sends at a rate, whatever the answers do: a request's wait counts from when it was due, so no slow answer hides those behind it. */
export async function openLoop(port: number, connections: number, next: () => Buffer, seconds: number, perSecond: number): Promise<Load> {
  const sockets = await open(port, connections);
  const free = [...sockets];
  const waiting: number[] = [];
  const due = new Map<Socket, number>();
  const latencies: number[] = [];
  let [sent, refused] = [0, 0];
  const started = performance.now();
  const total = Math.max(1, Math.floor(seconds * perSecond));
  const send = (socket: Socket, at: number): void => {
    due.set(socket, at);
    socket.write(next());
  };
  const finished = new Promise<void>((resolve, reject) => {
    for (const socket of sockets) {
      socket.once('error', reject).once('close', () => reject(new Error('expected connections that last, got one that ended')));
      socket.on('data', (answer) => {
        const now = performance.now();
        if (isAcknowledged(answer)) latencies.push(now - (due.get(socket) as number));
        else refused++;
        const at = waiting.shift();
        if (at === undefined) free.push(socket);
        else send(socket, at);
        if (latencies.length + refused === total) resolve();
      });
    }
  });
  const timer = setInterval(() => {
    for (const now = performance.now(); sent < total && started + (sent * 1000) / perSecond <= now; sent++) {
      const at = started + (sent * 1000) / perSecond;
      const socket = free.shift(); // in turn, so that none is idle for so long that the server closes it
      if (socket === undefined) waiting.push(at);
      else send(socket, at);
    }
  }, 1);
  await finished;
  clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  return { seconds: (performance.now() - started) / 1000, acknowledged: latencies.length, refused, latencies };
}
