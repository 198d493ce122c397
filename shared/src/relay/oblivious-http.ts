/**
 * Oblivious HTTP (RFC 9458): key configurations, and messages that a relay passes on without reading them. One request and its response
 * share a context; nothing else is shared by two messages.
 */

import { joined } from '../encoding/texts.ts';
import { AEAD, AES_KEY, type Context, expand, exported, KDF, KEM, NONCE, PUBLIC_KEY, recipientContext, senderContext } from './hpke.ts';
import { type KeyPair, type MessageKeys, webCrypto } from './primitives.ts';

/** A key configuration (section 3) with the one suite that is spoken here. */
export interface KeyConfiguration {
  /** From 0 to 255. */
  readonly id: number;
  readonly publicKey: Uint8Array;
}

/** The algorithms in the header of a message. */
const SUITE: readonly number[] = [...KEM, ...KDF, ...AEAD];
/** The bytes of a message before the sender's public key. */
const HEADER = 7;
/** The nonce of a response has max(Nn, Nk) bytes, and so has the secret from which its key is derived. */
const RESPONSE_NONCE = AES_KEY;
/** The tag of AES-GCM. */
const TAG = 16;

const isSame = (one: ArrayLike<number>, other: ArrayLike<number>): boolean => joined(one).join() === joined(other).join();

/** The media type of key configurations, of requests and of responses. */
export const KEYS_TYPE = 'application/ohttp-keys';
export const REQUEST_TYPE = 'message/ohttp-req';
export const RESPONSE_TYPE = 'message/ohttp-res';

/** The bytes that a message has beyond the request in it. */
export const MESSAGE_OVERHEAD: number = HEADER + PUBLIC_KEY + TAG;

/** Key configurations as `application/ohttp-keys` (section 3.2), the preferred first. */
export const encodeKeys = (configurations: readonly KeyConfiguration[]): Uint8Array =>
  joined(
    ...configurations.flatMap(({ id, publicKey }) => {
      const one = joined([id], KEM, publicKey, [0, 4], KDF, AEAD);
      return [[0, one.length], one];
    }),
  );

/** The first key configuration whose algorithms are spoken here. @throws {RangeError} when there is none */
export function decodeKeys(bytes: Uint8Array): KeyConfiguration {
  for (let at = 0; at + 1 < bytes.length; ) {
    const end = at + 2 + ((bytes[at] as number) << 8) + (bytes[at + 1] as number);
    const one = bytes.slice(at + 2, end);
    const publicKey = one.slice(3, 3 + PUBLIC_KEY);
    const suites = one.slice(5 + PUBLIC_KEY);
    for (let i = 0; i < suites.length; i += 4)
      if (end <= bytes.length && isSame(joined(one.slice(1, 3), suites.slice(i, i + 4)), SUITE)) return { id: one[0] as number, publicKey };
    at = end;
  }
  throw new RangeError('relay keys: expected application/ohttp-keys with X25519, HKDF-SHA256 and AES-128-GCM, got none');
}

/** The request's part of the key derivation (section 4.3). */
const infoOf = (header: Uint8Array): Uint8Array => joined('message/bhttp request', [0], header);

/** The key and the nonce of a response (section 4.4). */
async function responseKeys(context: Context, encapsulated: Uint8Array, nonce: Uint8Array): Promise<MessageKeys> {
  const { primitives } = context;
  const secret = await exported(context, 'message/bhttp response', RESPONSE_NONCE);
  const extracted = await primitives.hmac(joined(encapsulated, nonce), secret);
  return {
    key: await expand(primitives, extracted, joined('key'), AES_KEY),
    nonce: await expand(primitives, extracted, joined('nonce'), NONCE),
  };
}

/** A request on its way, and the function that opens the response to it. */
export interface SealedRequest {
  readonly message: Uint8Array;
  readonly openResponse: (message: Uint8Array) => Promise<Uint8Array>;
}

/** Encapsulates a request. The pair is drawn for this message alone. */
export async function sealRequest({ id, publicKey }: KeyConfiguration, request: Uint8Array, pair?: KeyPair): Promise<SealedRequest> {
  const sender = pair ?? (await webCrypto.generatePair());
  const header = joined([id], SUITE);
  const context = await senderContext(publicKey, infoOf(header), sender);
  const { aes } = sender.primitives;
  return {
    message: joined(header, sender.publicKey, await aes('encrypt', context, request)),
    openResponse: async (message) => {
      const keys = await responseKeys(context, sender.publicKey, message.slice(0, RESPONSE_NONCE));
      return aes('decrypt', keys, message.slice(RESPONSE_NONCE));
    },
  };
}

/** A request that was opened, and the function that encapsulates the response to it. */
export interface OpenedRequest {
  readonly request: Uint8Array;
  /** The nonce is drawn for this response alone, except by tests. */
  readonly sealResponse: (response: Uint8Array, nonce?: Uint8Array) => Promise<Uint8Array>;
}

/** Opens a message with a context of it. @throws {RangeError} when it is no message, or that does not open it */
async function open(
  message: Uint8Array,
  contextFor: (id: number, encapsulated: Uint8Array, info: Uint8Array) => Promise<Context>,
): Promise<OpenedRequest> {
  if (message.length < MESSAGE_OVERHEAD)
    throw new RangeError(`message: expected at least ${MESSAGE_OVERHEAD} bytes, got ${message.length}`);
  const header = message.slice(0, HEADER);
  const id = header[0] as number;
  if (!isSame(header.slice(1), SUITE)) throw new RangeError('message: expected X25519, HKDF-SHA256 and AES-128-GCM, got other algorithms');
  const encapsulated = message.slice(HEADER, HEADER + PUBLIC_KEY);
  const opened = await contextFor(id, encapsulated, infoOf(header))
    .then(async (context) => [context, await context.primitives.aes('decrypt', context, message.slice(HEADER + PUBLIC_KEY))] as const)
    .catch(() => undefined);
  if (opened === undefined) throw new RangeError(`message: expected one that was sealed with the key ${id}, got another`);
  const [context, request] = opened;
  return {
    request,
    sealResponse: async (response, nonce = crypto.getRandomValues(new Uint8Array(RESPONSE_NONCE))) =>
      joined(nonce, await context.primitives.aes('encrypt', await responseKeys(context, encapsulated, nonce), response)),
  };
}

/**
 * Opens a message.
 *
 * @param pairOf the key pair of a key's id; undefined where the id is not known
 * @throws {RangeError} when the message is not one, its key is not known, or it was not sealed with this key
 */
export const openRequest = (message: Uint8Array, pairOf: (id: number) => KeyPair | undefined): Promise<OpenedRequest> =>
  open(message, (id, encapsulated, info) => {
    const pair = pairOf(id);
    if (pair === undefined) throw new RangeError(`message: expected a key that is in force, got the key ${id}`);
    return recipientContext(encapsulated, info, pair);
  });

/**
 * Opens a message as its sender can, who has the key pair that was drawn for it. An audit that draws the pairs of a device reads what only
 * the holder of the recipient's key could read otherwise.
 *
 * @throws {RangeError} when the message is not one, or this pair did not seal it for this recipient
 */
export const openSealed = (message: Uint8Array, recipient: Uint8Array, sender: KeyPair): Promise<OpenedRequest> =>
  open(message, (_id, _encapsulated, info) => senderContext(recipient, info, sender));
