/** The budget of bodies on their way. */

import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readBody, UnfinishedBodies } from '#collector/ingest/body.ts';

const responseTo = (request: IncomingMessage): ServerResponse<IncomingMessage> => new ServerResponse(request);

test('of bodies on their way those that are whole or given up take no room, and where there is too little the oldest make it', () => {
  const unfinished = new UnfinishedBodies(10);
  const refused: string[] = [];
  const add = (name: string, bytes: number, response = responseTo(new IncomingMessage(new Socket()))): ServerResponse<IncomingMessage> => {
    unfinished.add(response, Buffer.alloc(bytes), ({ code }) => refused.push(`${name}: ${code}`));
    return response;
  };
  add('gone', 9).emit('close');
  expect(unfinished.take(add('whole', 9).req)).toHaveLength(9);
  const [first] = [add('first', 4), add('second', 4)];
  expect(refused).toEqual([]);
  add('first', 3, first);
  expect(refused).toEqual(['first: busy']);
  add('third', 6);
  expect(refused).toEqual(['first: busy']);
  add('too large', 11);
  expect(refused).toEqual(['first: busy', 'second: busy', 'third: busy', 'too large: busy']);
  add('last', 10);
  expect(refused).toHaveLength(4);
});

test.each([
  ['sends no more', (socket: Socket) => socket.end()],
  ['goes away', (socket: Socket) => socket.destroy()],
  ['is answered before it was whole', (socket: Socket, response: ServerResponse) => response.end(() => socket.write('x'))],
])('nothing is kept of a body whose sender %s', async (_, act) => {
  const unfinished = new UnfinishedBodies(1_000);
  const server = createServer((request, response) => {
    readBody(
      response,
      unfinished,
      () => undefined,
      () => undefined,
    );
    request.once('data', () => act(socket, response));
  }).listen(0, '127.0.0.1');
  // As the collector does: the answer to a request that was cut off.
  let last: ServerResponse<IncomingMessage> | undefined;
  server.on('request', (_request, response) => {
    last = response;
  });
  server.on('clientError', (_error, socket) => {
    if (last?.headersSent === false) last.writeHead(400, { connection: 'close' }).end();
    else socket.destroy();
  });
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nin part');
  const [response] = (await once(server, 'request')).slice(1) as [ServerResponse<IncomingMessage>];
  await expect.poll(() => response.closed).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unfinished.take(response.req)).toHaveLength(0);
  socket.destroy();
  server.close();
});
