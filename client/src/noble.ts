/**
 * @module The cryptography of `relayTransport` in JavaScript, for React Native and for browsers whose WebCrypto has no X25519, by
 * `@noble/curves`, `@noble/hashes` and `@noble/ciphers`. It is an entry of its own, because Metro bundles all of an entry that is imported.
 */

import { type Primitives, type Rng, systemRng, words } from '@murmuration/shared';
import { gcm } from '@noble/ciphers/aes.js';
import { x25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

/**
 * The cryptography for `relayTransport({ ..., primitives })`. Key pairs are drawn from the source of the coins, whose health is tested:
 * without one, or where it repeats itself while the app runs, no message is sealed.
 *
 * @param rng the `rng` of `createTelemetry`, if an app passes one. Default: `crypto.getRandomValues`
 * @example
 * relayTransport({ schema, relay: 'https://relay.example/notes', keys: 'ACkBACA…', primitives: noblePrimitives() });
 */
export function noblePrimitives(rng: Rng = systemRng): Primitives {
  const word = words(rng);
  const primitives: Primitives = {
    generatePair: async () => {
      const secret = new Uint8Array(Uint32Array.from({ length: 8 }, word).buffer);
      // Not by `getPublicKey`, whose table takes as long as nine keys: an app draws few.
      const publicKey = x25519.scalarMult(secret, x25519.GuBytes);
      return { publicKey, agree: async (theirs) => x25519.scalarMult(secret, theirs), primitives };
    },
    sha256: async (data) => sha256(data),
    hmac: async (key, data) => hmac(sha256, key, data),
    aes: async (way, { key, nonce }, text) => gcm(key, nonce)[way](text),
  };
  return primitives;
}
