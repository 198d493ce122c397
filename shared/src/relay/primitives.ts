/**
 * The cryptography under messages for a relay: X25519 (RFC 7748), SHA-256, HMAC-SHA256 and AES-128-GCM. That of the platform is
 * WebCrypto; `@murmuration/client/noble` has it for platforms without.
 */

import { fromBase64url } from '../encoding/bytes.ts';
import { joined } from '../encoding/texts.ts';

/** The key and the nonce of one message. */
export interface MessageKeys {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
}

/** An implementation of the algorithms. */
export interface Primitives {
  /** A new key pair, from the platform's cryptographic source of randomness. */
  readonly generatePair: () => Promise<KeyPair>;
  readonly sha256: (data: Uint8Array) => Promise<Uint8Array>;
  /** HMAC-SHA256. The key is not empty. */
  readonly hmac: (key: Uint8Array, data: Uint8Array) => Promise<Uint8Array>;
  /** Encrypts or decrypts with AES-128-GCM, the tag at the end. Rejects what was not encrypted with this key and nonce. */
  readonly aes: (way: 'encrypt' | 'decrypt', keys: MessageKeys, text: Uint8Array) => Promise<Uint8Array>;
}

/** An X25519 key pair. */
export interface KeyPair {
  readonly publicKey: Uint8Array;
  /** The secret shared with the holder of another public key. Rejects one that is all zeros (RFC 9180, section 7.1.4). */
  readonly agree: (theirs: Uint8Array) => Promise<Uint8Array>;
  /** The implementation that derives keys from the secret. */
  readonly primitives: Primitives;
}

const bytesIn = async (buffer: Promise<ArrayBuffer>): Promise<Uint8Array> => new Uint8Array(await buffer);

const importKey = (key: Uint8Array, algorithm: string | HmacImportParams, ...usages: KeyUsage[]): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', key as BufferSource, algorithm, false, usages);

const pairWith = (secretKey: CryptoKey, publicKey: Uint8Array): KeyPair => ({
  publicKey,
  agree: async (theirs) => bytesIn(crypto.subtle.deriveBits({ name: 'X25519', public: await importKey(theirs, 'X25519') }, secretKey, 256)),
  primitives: webCrypto,
});

/** WebCrypto's implementation. Each function rejects where the platform has none. */
export const webCrypto: Primitives = {
  generatePair: async () => {
    const { privateKey, publicKey } = (await crypto.subtle.generateKey('X25519', false, ['deriveBits'])) as CryptoKeyPair;
    return pairWith(privateKey, await bytesIn(crypto.subtle.exportKey('raw', publicKey)));
  },
  sha256: async (data) => bytesIn(crypto.subtle.digest('SHA-256', data as BufferSource)),
  hmac: async (key, data) =>
    bytesIn(crypto.subtle.sign('HMAC', await importKey(key, { name: 'HMAC', hash: 'SHA-256' }, 'sign'), data as BufferSource)),
  aes: async (way, { key, nonce: iv }, text) =>
    bytesIn(crypto.subtle[way]({ name: 'AES-GCM', iv: iv as BufferSource }, await importKey(key, 'AES-GCM', way), text as BufferSource)),
};

/** The first bytes of a secret key of X25519 in PKCS #8 (RFC 8410, section 7): the 32 bytes of the key follow. */
const PKCS8 = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32];

/** WebCrypto's key pair of a secret key of 32 bytes. */
export async function pairOf(secret: Uint8Array): Promise<KeyPair> {
  const secretKey = await crypto.subtle.importKey('pkcs8', joined(PKCS8, secret) as BufferSource, 'X25519', true, ['deriveBits']);
  const { x = '' } = await crypto.subtle.exportKey('jwk', secretKey);
  return pairWith(secretKey, fromBase64url(x));
}
