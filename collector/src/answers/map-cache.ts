/**
 * The maps of lists that were looked for lately. Hashing a long list may take longer than decoding, and dashboards ask for the same lists again
 * and again. A map can be larger than everything else that a collector holds, so that none is kept for long when nobody asks.
 */

import type { CellMap } from '../decoding/decode/evidence.ts';

/** Milliseconds that maps are kept after the last use of any. */
const KEPT = 60_000;

/** Maps by what they were made of, the most recently used last. Together they take at most so many bytes. */
export class MapCache {
  readonly #most: number;
  readonly #maps = new Map<string, CellMap>();
  #bytes = 0;
  #unused: NodeJS.Timeout | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): CellMap | undefined {
    const map = this.#maps.get(key);
    if (map === undefined) return undefined;
    this.#maps.delete(key);
    this.#maps.set(key, map);
    this.#use();
    return map;
  }

  keep(key: string, map: CellMap): void {
    if (this.#maps.has(key)) return;
    this.#maps.set(key, map);
    this.#bytes += map.places.byteLength;
    this.#use();
    for (const oldest of this.#maps.keys()) {
      if (this.#bytes <= this.#most) return;
      this.#forget(oldest);
    }
  }

  /** Forgets all. */
  clear(): void {
    clearTimeout(this.#unused);
    for (const key of [...this.#maps.keys()]) this.#forget(key);
  }

  #use(): void {
    clearTimeout(this.#unused);
    this.#unused = setTimeout(() => this.clear(), KEPT).unref();
  }

  #forget(key: string): void {
    this.#bytes -= this.#maps.get(key)?.places.byteLength ?? 0;
    this.#maps.delete(key);
  }
}
