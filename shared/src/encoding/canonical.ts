/** Canonical JSON (RFC 8785) and two digests of a text: a checksum for the wire and a fingerprint for the audit. */

import { utf8 } from './bytes.ts';

/** A JSON value. A key whose value is undefined is omitted. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * Canonical JSON: keys sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript writes them.
 *
 * @example canonicalJson({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export function canonicalJson(value: Json): string {
  const keys = new Set<string>();
  JSON.stringify(value, (key, member: unknown) => {
    keys.add(key);
    return member;
  });
  return JSON.stringify(value, [...keys].sort()); // a list of keys sets their order: here that of UTF-16 code units, as the RFC requires
}

/** A word of 32 bits as 8 hex digits. */
export const hex = (word: number): string => word.toString(16).padStart(8, '0');

/**
 * The 64-bit FNV-1a hash (Fowler, Noll, Vo) of a text's UTF-16 code units, as 16 hex digits. For ASCII it equals the hash of the bytes. It
 * detects mistakes, not attacks.
 */
export function checksum64(text: string): string {
  // Computed in two 32-bit halves, which is much faster than BigInt. The prime is 2^40 + 0x1b3.
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < text.length; i++) {
    low = (low ^ text.charCodeAt(i)) >>> 0;
    high = (high * 0x1b3 + low * 256 + Math.floor((low * 0x1b3) / 2 ** 32)) >>> 0;
    low = (low * 0x1b3) >>> 0;
  }
  return hex(high) + hex(low);
}

/** SHA-256 of a text's UTF-8, as 64 hex digits. */
export async function fingerprint(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', utf8(text) as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
