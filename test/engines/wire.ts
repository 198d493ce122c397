/** Commands over a WebSocket, each answered by its number: the frame that Chromium's protocol and WebDriver BiDi share. */

import { once } from 'node:events';
import { BrowserEnded } from './engine.ts';

export interface Wire {
  /** `extra` goes beside the parameters. */
  readonly send: <T>(method: string, params?: object, extra?: object) => Promise<T>;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  /** An object in Chromium's protocol, a code in BiDi. */
  readonly error?: string | { readonly message: string };
  readonly message?: string;
}

/** Resolves when connected. When the other side goes away, all commands reject. */
export async function connect(address: string): Promise<Wire> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, { readonly resolve: (result: never) => void; readonly reject: (error: Error) => void }>();
  let commands = 0;
  await Promise.race([
    once(socket, 'open'),
    once(socket, 'close').then(() => Promise.reject(new BrowserEnded(`expected a browser at ${address}`))),
  ]);
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, message } = JSON.parse(data) as Answer;
    const command = waiting.get(id ?? 0);
    waiting.delete(id ?? 0);
    if (error === undefined) command?.resolve(result as never);
    else command?.reject(new Error(typeof error === 'string' ? `${error}: ${message}` : error.message));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new BrowserEnded('the browser ended'));
    waiting.clear();
  });
  return {
    send: (method, params = {}, extra = {}) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== WebSocket.OPEN) throw new BrowserEnded('the browser has ended');
        const id = ++commands;
        waiting.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params, ...extra }));
      }),
  };
}
