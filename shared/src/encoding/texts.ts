/** Messages out of bytes and texts, and texts out of bytes. Apps that send no messages carry none of it. */

import { utf8 } from './bytes.ts';

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

/** Bytes as hex digits, two each. */
export const toHex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** UTF-8 as a string, for engines without TextDecoder. @throws {URIError} for bytes that are none */
export const fromUtf8 = (bytes: Uint8Array): string => decodeURIComponent(toHex(bytes).replace(/../g, '%$&'));
