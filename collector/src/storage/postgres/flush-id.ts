/**
 * Ids of flushes: UUIDs in the order of time (RFC 9562, version 7). So the deltas that wait lie side by side in the index, behind those that
 * are folded and dead.
 */

/** An id. Its first 48 bits are the time in milliseconds, and the others are random. */
export function flushId(now: number = Date.now()): string {
  const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(16)));
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
