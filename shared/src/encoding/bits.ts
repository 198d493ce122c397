/** Bit vectors as bytes: bit i is in byte i >> 3 at mask 1 << (i & 7), and padding bits are zero. */

/** The number of bytes that hold `bits` bits. */
export const bitBytes = (bits: number): number => (bits + 7) >> 3;

/** Sets bit i of the vector that begins at `offset`. */
export function setBit(bytes: Uint8Array, i: number, offset = 0): void {
  const at = offset + (i >> 3);
  bytes[at] = (bytes[at] as number) | (1 << (i & 7));
}

/** True if bit i of the vector that begins at `offset` is set. */
export const hasBit = (bytes: ArrayLike<number>, i: number, offset = 0): boolean =>
  ((bytes[offset + (i >> 3)] as number) & (1 << (i & 7))) !== 0;

/**
 * The indices of the ones among `bits` bits that begin at `offset` and end with the bytes.
 *
 * @throws {RangeError} when a padding bit is set.
 */
export function ones(bytes: Uint8Array, bits: number, offset = 0): number[] {
  const found: number[] = [];
  for (let at = offset; at < bytes.length; at++) {
    // Takes the byte's lowest one, then clears it.
    for (let rest = bytes[at] as number; rest !== 0; rest &= rest - 1) found.push(8 * (at - offset) + 31 - Math.clz32(rest & -rest));
  }
  const last = found[found.length - 1] ?? -1;
  if (last >= bits) throw new RangeError(`expected padding bits after bit ${bits - 1} to be zero, got bit ${last} set`);
  return found;
}
