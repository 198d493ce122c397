/**
 * A relay and the gateway behind it, in front of a model of a collector: what a device seals is opened and answered as the real ones do.
 * Sealing takes real time, which a clock that is turned by hand does not know. So one message is under way at a time, in the order in which
 * they were sent, and a life waits while one is (`isBusy`).
 */

import type { Delivery, Schema, Transport, Upload } from '@murmuration/client';
import { relayTransport } from '@murmuration/client/relay';
import { type Batch, decodeRequest, encodeKeys, encodeResponse, openRequest, pairOf } from '@murmuration/shared';

const ADDRESS = 'https://relay.example/notes';
const pair = await pairOf(new Uint8Array(32).fill(7));
const keys = Buffer.from(encodeKeys([{ id: 1, publicKey: pair.publicKey }])).toString('base64url');

/** The relay of the life that is lived. */
let current: (message: Uint8Array) => Promise<Response>;
const { fetch } = globalThis;
globalThis.fetch = (input, init) => (input === ADDRESS ? current(init?.body as Uint8Array) : fetch(input, init));

export interface ThroughRelay {
  /** The transport of a context. */
  readonly transportOf: (schema: Pick<Schema, 'document' | 'wire'>, now: () => number) => Transport;
  /** True while something is sealed or opened. */
  readonly isBusy: () => boolean;
}

/**
 * Starts the relay of a life.
 *
 * @param deliver what becomes of an upload that a device has sent, with the bytes of its message
 */
export function throughRelay(deliver: (upload: Upload, bytes: number) => Promise<Delivery>): ThroughRelay {
  let lock = Promise.resolve();
  let waiting = 0;
  /** Resolves in turn, with the function that ends the turn. */
  const acquire = async (): Promise<() => void> => {
    waiting++;
    const before = lock;
    const { promise, resolve } = Promise.withResolvers<void>();
    lock = promise;
    await before;
    return () => {
      waiting--;
      resolve();
    };
  };
  /** The upload whose turn it is; `reached` ends the turn once it is opened, and `ended` begins when its answer is. */
  let carried: { readonly upload: Upload; readonly reached: () => void; readonly ended: Promise<unknown> };
  const sentAs = new Map<string, string>();

  current = async (message) => {
    const { upload, reached, ended } = carried;
    const { request, sealResponse } = await openRequest(message, () => pair);
    const sent = new TextDecoder().decode(decodeRequest(request).content);
    const [own, hidden] = [upload.body, sent].map((body) => (JSON.parse(body) as Batch).batch) as [string, string];
    if (own === hidden || (sentAs.get(own) ?? hidden) !== hidden) throw new Error(`a batch ${own} under the id ${hidden}`);
    sentAs.set(own, hidden);
    reached();
    const delivery = await deliver({ ...upload, body: sent.replace(hidden, own) }, message.length);
    const end = await acquire();
    ended.then(end, end);
    // An answer without a text of the collector may be the relay's own.
    if (delivery.status >= 500) {
      const headers = { 'content-type': 'text/plain', ...(delivery.retryAfter && { 'retry-after': `${delivery.retryAfter}` }) };
      return new Response('', { status: delivery.status, headers });
    }
    const answer = encodeResponse({ status: delivery.status, fields: [], content: Buffer.from(delivery.body ?? '') }, 1_024);
    return new Response(Buffer.from(await sealResponse(answer)), { headers: { 'content-type': 'message/ohttp-res' } });
  };

  return {
    transportOf: (schema, now) => {
      let begun: number | undefined;
      const time = (): number => {
        const at = begun ?? now();
        begun = undefined;
        return at;
      };
      const send = relayTransport({ schema, relay: ADDRESS, keys, now: time });
      return async (upload) => {
        const called = now();
        const end = await acquire();
        begun = called; // the transport itself looks at the clock as soon as it is called
        const { promise: opened, resolve: reached } = Promise.withResolvers<void>();
        const { promise: ended, resolve: settled } = Promise.withResolvers<void>();
        carried = { upload, reached, ended };
        const delivery = send(upload);
        void delivery.catch(() => undefined).then(() => settled());
        await Promise.race([opened, ended]);
        end();
        return delivery;
      };
    },
    isBusy: () => waiting > 0,
  };
}
