/** A report through a relay, and its token, in an engine without WebCrypto and streams, with given coins. */

import { type Delivery, defineSchema, flag, memoryStorage } from '@murmuration/client';
import { noblePrimitives } from '@murmuration/client/noble';
import { relayTransport } from '@murmuration/client/relay';
import { slotTokens } from '@murmuration/client/tokens';
import { fromBase64url, fromUtf8, joined, toBase64url } from '@murmuration/shared';

/** The keys of the collector and of the issuer, and the random bytes of the device, as base64url. */
export interface Given {
  readonly keys: string;
  readonly key: string;
  readonly coins: string;
}

/** An answer with status 200: its media type, and its content as base64url. */
export interface Answer {
  readonly type: string;
  readonly content: string;
}

/** The content of each request as base64url, and what the transport resolved with. */
export interface Relayed {
  readonly requests: readonly string[];
  readonly deliveries: readonly Delivery[];
}

const ask = { epsilon: 1, every: 'week', description: 'Dark?' } as const;
const schema = defineSchema({
  ...{ app: 'notes', version: 1, budget: { epsilon: 2, per: 'week' }, reports: 'alone', relay: 'required' },
  metrics: { dark: flag(ask) },
});
const batch = { v: 1, schema: schema.wire, day: '2026-11-20', batch: '5'.repeat(32), reports: [['dark', 'AQ']] };

/** Sends the report: a visit in which its token comes, and one two hours later. `answer` is the network. */
export async function relayed(
  { keys, key, coins }: Given,
  answer: (request: Uint8Array, url: string) => Answer | Promise<Answer>,
): Promise<Relayed> {
  const { fetch: before } = globalThis;
  const requests: string[] = [];
  const fetch = async (url: string, { body }: { readonly body: string | Uint8Array }): Promise<unknown> => {
    requests.push(toBase64url(joined(body)));
    const { type, content } = await answer(joined(body), url);
    const bytes = fromBase64url(content);
    const headers = { get: (name: string) => (name === 'content-type' ? type : null) };
    return { ok: true, status: 200, headers, text: async () => fromUtf8(bytes), arrayBuffer: async () => bytes.buffer };
  };
  let now = Date.parse('2026-11-25');
  const clock = { now: () => now };
  const tokens = slotTokens({ schema, issuer: 'https://app.example/tokens', key, storage: memoryStorage(), ...clock });
  const primitives = noblePrimitives((bytes) => bytes.set(fromBase64url(coins)));
  const transport = relayTransport({ schema, relay: 'https://relay.example/notes', keys, tokens, primitives, ...clock });
  const upload = { url: 'https://t.example.com/v1/reports?key=pk_x', body: JSON.stringify(batch) };
  Object.assign(globalThis, { fetch });
  try {
    const early = await transport(upload);
    now += 7_200_000;
    return { requests, deliveries: [early, await transport(upload)] };
  } finally {
    Object.assign(globalThis, { fetch: before });
  }
}
