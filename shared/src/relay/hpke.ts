/**
 * Hybrid public-key encryption in base mode (HPKE, RFC 9180) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM, over
 * `primitives.ts`: 5 KB less in a page than `@hpke/core`, which needs WebCrypto. One message a context.
 */

import { utf8 } from '../encoding/bytes.ts';
import { joined } from '../encoding/texts.ts';
import type { KeyPair, MessageKeys, Primitives } from './primitives.ts';

/** Identifiers of the algorithms (RFC 9180, section 7), two bytes each. */
export const KEM: readonly number[] = [0, 0x20];
export const KDF: readonly number[] = [0, 1];
export const AEAD: readonly number[] = [0, 1];

/** Lengths in bytes: of a public key and an encapsulated one (Npk, Nenc), of an AES key (Nk) and of a nonce (Nn). */
export const PUBLIC_KEY = 32;
export const AES_KEY = 16;
export const NONCE = 12;

/** The key and the nonce of one message, and the secret from which others are derived. */
export interface Context extends MessageKeys {
  readonly exporter: Uint8Array;
  readonly primitives: Primitives;
}

/**
 * HKDF's expansion (RFC 5869, section 2.3) to at most 32 bytes, which one block holds. HKDF's extraction is HMAC, with the salt as its key
 * (section 2.2).
 */
export const expand = async ({ hmac }: Primitives, key: Uint8Array, info: Uint8Array, length: number): Promise<Uint8Array> =>
  (await hmac(key, joined(info, [1]))).slice(0, length);

/** The empty salt: HMAC fills its key up with zeros, and WebCrypto takes no empty one. */
const NO_SALT = /* @__PURE__ */ new Uint8Array(32);

const labeled = (suite: ArrayLike<number>, label: string, data: ArrayLike<number>): Uint8Array => joined('HPKE-v1', suite, label, data);

const labeledExpand = (
  primitives: Primitives,
  suite: Uint8Array,
  key: Uint8Array,
  label: string,
  info: ArrayLike<number>,
  length: number,
): Promise<Uint8Array> => expand(primitives, key, joined([0, length], labeled(suite, label, info)), length);

const suiteOfKem = (): Uint8Array => joined('KEM', KEM);
const suite = (): Uint8Array => joined('HPKE', KEM, KDF, AEAD);

/** The context of two parties (RFC 9180, sections 4.1 and 5.1). */
async function contextOf(
  { agree, primitives }: KeyPair,
  theirs: Uint8Array,
  encapsulated: Uint8Array,
  recipient: Uint8Array,
  info: Uint8Array,
): Promise<Context> {
  const extract = (suite: Uint8Array, salt: Uint8Array, label: string, data: ArrayLike<number>): Promise<Uint8Array> =>
    primitives.hmac(salt, labeled(suite, label, data));
  const kem = suiteOfKem();
  const extracted = await extract(kem, NO_SALT, 'eae_prk', await agree(theirs));
  const shared = await labeledExpand(primitives, kem, extracted, 'shared_secret', joined(encapsulated, recipient), 32);
  const all = suite();
  const hashes = [await extract(all, NO_SALT, 'psk_id_hash', []), await extract(all, NO_SALT, 'info_hash', info)];
  const schedule = joined([0], ...hashes);
  const secret = await extract(all, shared, 'secret', []);
  const derive = (label: string, length: number): Promise<Uint8Array> => labeledExpand(primitives, all, secret, label, schedule, length);
  return { key: await derive('key', AES_KEY), nonce: await derive('base_nonce', NONCE), exporter: await derive('exp', 32), primitives };
}

/** The context of the sender to the holder of a public key. The sender's public key goes along with the message. */
export const senderContext = (recipient: Uint8Array, info: Uint8Array, sender: KeyPair): Promise<Context> =>
  contextOf(sender, recipient, sender.publicKey, recipient, info);

/** The same context for the recipient, from the sender's public key. */
export const recipientContext = (encapsulated: Uint8Array, info: Uint8Array, recipient: KeyPair): Promise<Context> =>
  contextOf(recipient, encapsulated, encapsulated, recipient.publicKey, info);

/** A further secret of a context (RFC 9180, section 5.3), of at most 32 bytes. */
export const exported = ({ exporter, primitives }: Context, label: string, length: number): Promise<Uint8Array> =>
  labeledExpand(primitives, suite(), exporter, 'sec', utf8(label), length);
