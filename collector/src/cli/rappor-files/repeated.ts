/** Finds a string that a list has twice. A Set of a million strings takes as long as reading them, so sorted hashes are looked at first. */

/** 53 bits of hash: FNV-1a over the UTF-16 units, and a second time with another multiplier. */
function hashOf(text: string): number {
  let [first, second] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x5bd1e995);
    second ^= second >>> 15;
  }
  return (first >>> 0) * 2 ** 21 + (second >>> 11);
}

/** The index of the first string that is equal to one before it; undefined if there is none. */
export function repeatedIn(texts: readonly string[]): number | undefined {
  const hashes = new Float64Array(texts.length);
  for (let i = 0; i < texts.length; i++) hashes[i] = hashOf(texts[i] as string);
  hashes.sort();
  let isSuspect = false;
  for (let i = 1; i < hashes.length; i++) if (hashes[i] === hashes[i - 1]) isSuspect = true;
  if (!isSuspect) return undefined;
  const known = new Set<string>();
  const found = texts.findIndex((text) => known.size === known.add(text).size);
  return found < 0 ? undefined : found;
}
