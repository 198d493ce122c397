/**
 * The tree of a transparency log: SHA-256 of RFC 6962 section 2.1, in the files of C2SP tlog-tiles (https://c2sp.org/tlog-tiles). A log of
 * schemas has hundreds of entries, so roots and tiles are computed from all of them.
 */

import { hash } from 'node:crypto';

/** Hashes of a whole tile; entries of a whole bundle. */
export const TILE_WIDTH = 256;

const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

/** The hash of an entry: a leaf of the tree. */
export const leafOf = (entry: Uint8Array): Buffer => sha256(Buffer.concat([Uint8Array.of(0), entry]));

/** The hash of leaves, in their order: the left half is the largest whole tree. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return sha256(Buffer.alloc(0));
  if (leaves.length === 1) return first;
  const left = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(Buffer.concat([Uint8Array.of(1), rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left))]));
}

/** A tile, or a bundle of entries, by its place. */
export interface TilePlace {
  /** The level of its hashes; undefined for entries. */
  readonly level: number | undefined;
  readonly index: number;
  /** Its hashes or entries, from 1 to 256. */
  readonly width: number;
}

/** The path below the log: `tile/0/003`, `tile/entries/000.p/7`. Indices beyond 999, which the format writes otherwise, don't come up. */
export const pathOf = ({ level, index, width }: TilePlace): string =>
  `tile/${level ?? 'entries'}/${`${index}`.padStart(3, '0')}${width === TILE_WIDTH ? '' : `.p/${width}`}`;

/** The place that a path names, in its one spelling; undefined for any other. */
export function placeOf(path: string): TilePlace | undefined {
  const [, level, index, width = `${TILE_WIDTH}`] = /^tile\/([0-2]|entries)\/(\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  if (level === undefined) return undefined;
  const place = { level: level === 'entries' ? undefined : Number(level), index: Number(index), width: Number(width) };
  return place.width >= 1 && place.width <= TILE_WIDTH && pathOf(place) === path ? place : undefined;
}

/** The bytes of a bundle: each entry behind its length, in two bytes. */
export const bundleOf = (entries: readonly Uint8Array[]): Buffer =>
  Buffer.concat(entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry]));

/** The entries of a bundle. @throws {RangeError} when it ends within one */
export function entriesIn(bundle: Uint8Array): readonly Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length; ) {
    const end = at + 2 + 256 * (bundle[at] ?? 0) + (bundle[at + 1] ?? Number.NaN);
    if (!(end <= bundle.length))
      throw new RangeError(`entries: expected a whole bundle, got ${bundle.length} bytes that end within an entry`);
    entries.push(Buffer.from(bundle.subarray(at + 2, end)));
    at = end;
  }
  return entries;
}

/** The bytes at a place of a log; undefined where it has none yet. */
export function tileOf(entries: readonly Uint8Array[], { level, index, width }: TilePlace): Buffer | undefined {
  const span = TILE_WIDTH ** (level ?? 0);
  const first = index * TILE_WIDTH * span;
  if (first + width * span > entries.length) return undefined;
  const part = entries.slice(first, first + width * span);
  if (level === undefined) return bundleOf(part);
  const leaves = part.map(leafOf);
  return Buffer.concat(Array.from({ length: width }, (_, i) => rootOf(leaves.slice(i * span, (i + 1) * span))));
}
