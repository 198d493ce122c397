/**
 * Hybrid public-key encryption in base mode (HPKE, RFC 9180) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM, over the
 * platform's WebCrypto: 5 KB less in a page than `@hpke/core`, which stands on the same primitives. One message a context.
 */

import { fromBase64url, utf8 } from '../encoding/bytes.ts';

/** Identifiers of the algorithms (RFC 9180, section 7), two bytes each. */
export const KEM: readonly number[] = [0, 0x20];
export const KDF: readonly number[] = [0, 1];
export const AEAD: readonly number[] = [0, 1];

/** Lengths in bytes: of a public key and an encapsulated one (Npk, Nenc), of an AES key (Nk) and of a nonce (Nn). */
export const PUBLIC_KEY = 32;
export const AES_KEY = 16;
export const NONCE = 12;

/** An X25519 key pair. */
export interface KeyPair {
  /** A `CryptoKey`, whose type not every compiler has. */
  readonly secretKey: object;
  readonly publicKey: Uint8Array;
}

/** The key and the nonce of one message, and the secret from which others are derived. */
export interface Context {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  readonly exporter: Uint8Array;
}

/** Bytes and texts, one after the other. */
export function joined(...parts: readonly (ArrayLike<number> | string)[]): Uint8Array {
  const all = parts.map((part) => (typeof part === 'string' ? utf8(part) : part));
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  all.reduce((at, part) => {
    bytes.set(part, at);
    return at + part.length;
  }, 0);
  return bytes;
}

/** HMAC-SHA256, which is also HKDF's extraction (RFC 5869, section 2.2): its key is the salt. */
export async function hmac(key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  const imported = await subtle.importKey('raw', key as BufferSource, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, data as BufferSource));
}

/** HKDF's expansion (RFC 5869, section 2.3) to at most 32 bytes, which one block holds. */
export const expand = async (key: Uint8Array, info: Uint8Array, length: number): Promise<Uint8Array> =>
  (await hmac(key, joined(info, [1]))).slice(0, length);

/** The empty salt: HMAC fills its key up with zeros, and WebCrypto takes no empty one. */
const NO_SALT = /* @__PURE__ */ new Uint8Array(32);

const labeled = (suite: ArrayLike<number>, label: string, data: ArrayLike<number>): Uint8Array => joined('HPKE-v1', suite, label, data);

const labeledExtract = (suite: Uint8Array, salt: Uint8Array, label: string, data: ArrayLike<number>): Promise<Uint8Array> =>
  hmac(salt, labeled(suite, label, data));

const labeledExpand = (suite: Uint8Array, key: Uint8Array, label: string, info: ArrayLike<number>, length: number): Promise<Uint8Array> =>
  expand(key, joined([0, length], labeled(suite, label, info)), length);

const suiteOfKem = (): Uint8Array => joined('KEM', KEM);
const suite = (): Uint8Array => joined('HPKE', KEM, KDF, AEAD);

/** A new key pair. */
export async function generatePair(): Promise<KeyPair> {
  const { privateKey, publicKey } = (await crypto.subtle.generateKey('X25519', false, ['deriveBits'])) as CryptoKeyPair;
  return { secretKey: privateKey, publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)) };
}

/** The first bytes of a secret key of X25519 in PKCS #8 (RFC 8410, section 7): the 32 bytes of the key follow. */
const PKCS8 = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32];

/** The key pair of a secret key of 32 bytes. */
export async function pairOf(secret: Uint8Array): Promise<KeyPair> {
  const secretKey = await crypto.subtle.importKey('pkcs8', joined(PKCS8, secret) as BufferSource, 'X25519', true, ['deriveBits']);
  const { x = '' } = await crypto.subtle.exportKey('jwk', secretKey);
  return { secretKey, publicKey: fromBase64url(x) };
}

/** The context of two parties (RFC 9180, sections 4.1 and 5.1). WebCrypto refuses a secret that is all zeros, as section 7.1.4 demands. */
async function contextOf(
  mine: object,
  theirs: Uint8Array,
  encapsulated: Uint8Array,
  recipient: Uint8Array,
  info: Uint8Array,
): Promise<Context> {
  const { subtle } = crypto;
  const publicKey = await subtle.importKey('raw', theirs as BufferSource, 'X25519', false, []);
  const dh = new Uint8Array(await subtle.deriveBits({ name: 'X25519', public: publicKey }, mine as CryptoKey, 256));
  const kem = suiteOfKem();
  const extracted = await labeledExtract(kem, NO_SALT, 'eae_prk', dh);
  const shared = await labeledExpand(kem, extracted, 'shared_secret', joined(encapsulated, recipient), 32);
  const all = suite();
  const hashes = [await labeledExtract(all, NO_SALT, 'psk_id_hash', []), await labeledExtract(all, NO_SALT, 'info_hash', info)];
  const schedule = joined([0], ...hashes);
  const secret = await labeledExtract(all, shared, 'secret', []);
  const of = (label: string, length: number): Promise<Uint8Array> => labeledExpand(all, secret, label, schedule, length);
  return { key: await of('key', AES_KEY), nonce: await of('base_nonce', NONCE), exporter: await of('exp', 32) };
}

/** The context of the sender to the holder of a public key. The sender's public key goes along with the message. */
export const senderContext = (recipient: Uint8Array, info: Uint8Array, { secretKey, publicKey }: KeyPair): Promise<Context> =>
  contextOf(secretKey, recipient, publicKey, recipient, info);

/** The same context for the recipient, from the sender's public key. */
export const recipientContext = (encapsulated: Uint8Array, info: Uint8Array, { secretKey, publicKey }: KeyPair): Promise<Context> =>
  contextOf(secretKey, encapsulated, encapsulated, publicKey, info);

/** A further secret of a context (RFC 9180, section 5.3), of at most 32 bytes. */
export const exported = ({ exporter }: Context, label: string, length: number): Promise<Uint8Array> =>
  labeledExpand(suite(), exporter, 'sec', utf8(label), length);

/** Encrypts or decrypts with AES-128-GCM. Rejects what was not encrypted with this key and nonce. */
export async function aes(
  way: 'encrypt' | 'decrypt',
  { key, nonce: iv }: Pick<Context, 'key' | 'nonce'>,
  text: Uint8Array,
): Promise<Uint8Array> {
  const { subtle } = crypto;
  const imported = await subtle.importKey('raw', key as BufferSource, 'AES-GCM', false, [way]);
  return new Uint8Array(await subtle[way]({ name: 'AES-GCM', iv: iv as BufferSource }, imported, text as BufferSource));
}
