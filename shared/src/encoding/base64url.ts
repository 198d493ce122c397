/** Base64url at speed, for those who read many reports: devices carry the short `fromBase64url` of bytes.ts, which takes the same texts. */

import { ALPHABET } from './bytes.ts';

/** The six bits of a character, by its code below 128; -1 of all others. */
const SIXES = /* @__PURE__ */ Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));

/**
 * Writes the bytes of base64url without padding, in its one canonical form (RFC 4648 §5), and returns how many they are,
 * or -1 when the text is no such form, or its bytes are more than `most`. What is written then means nothing.
 */
export function readBase64url(text: string, into: Uint8Array, at: number, most: number): number {
  const { length } = text;
  const count = Math.floor((length * 3) / 4);
  if (length % 4 === 1 || count > most) return -1;
  // One minus among the sixes, or one code beyond ASCII, shows in the union of all.
  let [codes, sixes] = [0, 0];
  let i = 0;
  for (; i + 4 <= length; i += 4, at += 3) {
    const [a, b, c, d] = [text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2), text.charCodeAt(i + 3)];
    codes |= a | b | c | d;
    const three =
      ((SIXES[a & 127] as number) << 18) |
      ((SIXES[b & 127] as number) << 12) |
      ((SIXES[c & 127] as number) << 6) |
      (SIXES[d & 127] as number);
    sixes |= three;
    into[at] = three >> 16;
    into[at + 1] = three >> 8;
    into[at + 2] = three;
  }
  const rest = length - i;
  if (rest > 0) {
    const [a, b, c] = [text.charCodeAt(i), text.charCodeAt(i + 1), rest > 2 ? text.charCodeAt(i + 2) : 65];
    codes |= a | b | c;
    const three = ((SIXES[a & 127] as number) << 18) | ((SIXES[b & 127] as number) << 12) | ((SIXES[c & 127] as number) << 6);
    sixes |= three;
    into[at] = three >> 16;
    if (rest > 2) into[at + 1] = three >> 8;
    // Trailing bits that no byte holds are zero, or the text has a second form.
    if ((three & (rest > 2 ? 0xff : 0xffff)) !== 0) return -1;
  }
  return codes > 127 || sixes < 0 ? -1 : count;
}
