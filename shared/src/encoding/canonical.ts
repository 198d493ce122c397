/** Canonical JSON (RFC 8785) and the two names of a text: a checksum for the wire, a fingerprint for the audit. */

import { utf8 } from './bytes.ts';

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Canonical JSON: keys sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript writes them.
 *
 * @example canonicalJson({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const object = value as { readonly [key: string]: Json };
  const members = Object.keys(object).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as Json)}`).join()}}`;
}

/**
 * FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv), of a text's UTF-8, as 16 hex digits.
 * It catches mistakes, not adversaries. The state is four 16-bit limbs, the prime 2^40 + 0x1b3.
 */
export function checksum64(text: string): string {
  let [a, b, c, d] = [0xcbf2, 0x9ce4, 0x8422, 0x2325];
  for (const byte of utf8(text)) {
    d ^= byte;
    const d1 = d * 0x1b3;
    const c1 = c * 0x1b3 + (d1 >>> 16);
    const b1 = b * 0x1b3 + d * 256 + (c1 >>> 16);
    a = (a * 0x1b3 + c * 256 + (b1 >>> 16)) & 0xffff;
    [b, c, d] = [b1 & 0xffff, c1 & 0xffff, d1 & 0xffff];
  }
  return [a, b, c, d].map((limb) => limb.toString(16).padStart(4, '0')).join('');
}

/** SHA-256 of a text's UTF-8, as 64 hex digits. */
export async function fingerprint(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', utf8(text) as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
