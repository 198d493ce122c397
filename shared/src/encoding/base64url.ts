/** Fast base64url for code that reads many reports. Devices carry the short `fromBase64url` of bytes.ts, which accepts the same texts. */

import { ALPHABET } from './bytes.ts';

/** The six bits of a character, by its code below 128; -1 for other characters. */
const SIXES = /* @__PURE__ */ Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));

/**
 * Decodes base64url without padding, in its one canonical form (RFC 4648 §5), into `into` from `at` on. Returns the number of bytes, or -1
 * if the text is not in that form or has more than `most` bytes. After -1 the bytes written are meaningless.
 */
export function readBase64url(text: string, into: Uint8Array, at: number, most: number): number {
  const { length } = text;
  const count = Math.floor((length * 3) / 4);
  if (length % 4 === 1 || count > most) return -1;
  // A single -1 among the sixes, or a single code beyond ASCII, shows in the bitwise OR of all.
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
    // Trailing bits that belong to no byte must be zero; otherwise the text would have a second form.
    if ((three & (rest > 2 ? 0xff : 0xffff)) !== 0) return -1;
  }
  return codes > 127 || sixes < 0 ? -1 : count;
}
