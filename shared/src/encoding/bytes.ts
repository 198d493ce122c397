/**
 * UTF-8, base64url and whole numbers as bytes: the encodings of the wire.
 * Written here because old JavaScript engines on phones have neither TextEncoder nor atob.
 */

/** A string as UTF-8. A lone surrogate becomes U+FFFD, as with TextEncoder. */
export function utf8(text: string): Uint8Array {
  // With the u flag this class matches lone surrogates only.
  const escaped = encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
  return Uint8Array.from(escaped.match(/%..|./g) ?? [], (unit) => (unit[1] ? Number(`0x${unit.slice(1)}`) : unit.charCodeAt(0)));
}

/** A to Z, a to z, 0 to 9, - and _, computed from the difference between a character's code and its index. */
export const ALPHABET: readonly string[] = /* @__PURE__ */ Array.from({ length: 64 }, (_, i) =>
  String.fromCharCode(i + (i < 26 ? 65 : i < 52 ? 71 : i < 62 ? -4 : i < 63 ? -17 : 32)),
);

/** Encodes bytes as base64url without padding (RFC 4648 §5), six bits at a time from the two bytes that contain them. */
export function toBase64url(bytes: ArrayLike<number>): string {
  let text = '';
  for (let bit = 0; bit < bytes.length * 8; bit += 6) {
    const at = bit >> 3;
    const pair = ((bytes[at] as number) << 8) | (bytes[at + 1] ?? 0);
    text += ALPHABET[(pair >> (10 - (bit & 7))) & 63];
  }
  return text;
}

/**
 * Decodes base64url in its one canonical form.
 *
 * @throws {RangeError} for padding, another alphabet, an impossible length, or unused trailing bits that are set.
 */
export function fromBase64url(text: string): Uint8Array {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of text) {
    bits = ((bits << 6) | ALPHABET.indexOf(character)) & 0xfff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push((bits >> held) & 255);
    }
  }
  const decoded = Uint8Array.from(bytes);
  if (toBase64url(decoded) !== text) throw new RangeError('expected canonical base64url without padding');
  return decoded;
}

/** The number of bytes that hold every value up to `max`: 0 for 0, 1 up to 255, ... */
export function bytesFor(max: number): number {
  let bytes = 0;
  while (256 ** bytes <= max) bytes++;
  return bytes;
}

/** Encodes a whole number big-endian, in as many bytes as `max` needs. */
export function bigEndian(value: number, max: number): Uint8Array {
  const bytes: number[] = [];
  for (; max > 0; max = Math.floor(max / 256)) {
    bytes.unshift(value % 256);
    value = Math.floor(value / 256);
  }
  return Uint8Array.from(bytes);
}

/** Decodes a big-endian whole number. */
export function fromBigEndian(bytes: Iterable<number>): number {
  let value = 0;
  for (const byte of bytes) value = value * 256 + byte;
  return value;
}
