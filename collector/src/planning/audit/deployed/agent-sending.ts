/**
 * Requests of a page's scripts that a network log tells only in part: their bodies as the script gave them, and those of sockets and channels.
 * The function is sent as text, so it may use nothing outside of itself.
 */

import type { Act, Hook, Sending } from './agent-api.ts';

/** Parts of the agent that it needs. */
export interface SendingParts {
  readonly hook: Hook;
  readonly hex: (bytes: Uint8Array) => string;
  /** Counts a promise as pending until it settles. */
  readonly settles: (promise: unknown) => unknown;
  /** Called after each request. */
  readonly keep: () => unknown;
}

/** Hooks what sends, and returns the list of all that was sent. */
export function watchSending({ hook, hex, settles, keep }: SendingParts): readonly Sending[] {
  const scope = globalThis as unknown as { readonly [name: string]: { readonly prototype: object } | undefined };
  const page = globalThis as unknown as {
    readonly URL: new (to: string, from: string) => { readonly href: string };
    readonly document?: { readonly baseURI: string };
    readonly location: { readonly href: string };
  };
  const { URL: Address } = page;
  const write = JSON.stringify;
  const sent: Sending[] = [];
  const opened = new WeakMap<object, unknown>();
  const call = (original: Act, self: unknown, args: readonly unknown[]): unknown => Reflect.apply(original, self, args as unknown[]);
  const textOf = (body: unknown): string => {
    const view = body as ArrayBufferView;
    if (ArrayBuffer.isView(body)) return hex(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return body instanceof ArrayBuffer ? hex(new Uint8Array(body)) : body === undefined || body === null ? '' : String(body);
  };
  /** The whole address, as the network log has it. */
  const addressOf = (to: unknown): string => {
    const text = String((to as { readonly url?: string } | undefined)?.url ?? to);
    try {
      return new Address(text, page.document?.baseURI ?? page.location.href).href;
    } catch {
      return text;
    }
  };
  const send = (by: string, to: unknown, body: unknown): void => {
    const entry = { by, time: Date.now(), to: addressOf(to), text: textOf(body) };
    sent.push(entry);
    keep();
    const blob = body as { readonly text?: () => Promise<string> };
    if (typeof blob?.text === 'function') void blob.text().then((text) => Object.assign(entry, { text }));
  };
  hook(globalThis, 'fetch', (original, self, args) => {
    send('fetch', args[0], (args[1] as { readonly body?: unknown } | undefined)?.body);
    return settles(call(original, self, args));
  });
  hook(scope['Navigator']?.prototype, 'sendBeacon', (original, self, args) => {
    send('sendBeacon', args[0], args[1]);
    return call(original, self, args);
  });
  hook(scope['XMLHttpRequest']?.prototype, 'open', (original, self, args) => {
    opened.set(self as object, args[1]);
    return call(original, self, args);
  });
  hook(scope['XMLHttpRequest']?.prototype, 'send', (original, self, args) => {
    send('XMLHttpRequest', opened.get(self as object), args[0]);
    return call(original, self, args);
  });
  for (const name of ['WebSocket', 'RTCDataChannel'])
    hook(scope[name]?.prototype, 'send', (original, self, args) => {
      send(name, (self as { readonly url?: string }).url ?? '', args[0]);
      return call(original, self, args);
    });
  // What a connection is opened with: its address and its protocols or servers.
  for (const name of ['WebSocket', 'WebTransport', 'RTCPeerConnection']) {
    const original = scope[name] as unknown as (new (...args: unknown[]) => object) | undefined;
    if (typeof original !== 'function') continue;
    const construct = (target: typeof original, args: unknown[], made: new () => unknown): object => {
      const [to, more] = name === 'RTCPeerConnection' ? ['', args[0]] : args;
      send(`new ${name}`, to, more === undefined ? '' : write(more));
      return Reflect.construct(target, args, made) as object;
    };
    const proxy = new Proxy(original, { construct });
    Object.defineProperty(original.prototype, 'constructor', { value: proxy, configurable: true, writable: true });
    Object.defineProperty(scope, name, { value: proxy, configurable: true, writable: true });
  }
  return sent;
}
