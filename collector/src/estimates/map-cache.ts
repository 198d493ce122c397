/** The maps of lists that were looked for lately. Hashing a long list takes longer than everything else that a decode does. */

import type { CellMap } from '../estimators/decode/evidence.ts';

/** Maps by what they were made of, the most recently used last. Together they take at most so many bytes. */
export class MapCache {
  readonly #most: number;
  readonly #maps = new Map<string, CellMap>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): CellMap | undefined {
    const map = this.#maps.get(key);
    if (map === undefined) return undefined;
    this.#maps.delete(key);
    this.#maps.set(key, map);
    return map;
  }

  keep(key: string, map: CellMap): void {
    if (this.#maps.has(key)) return;
    this.#maps.set(key, map);
    this.#bytes += map.places.byteLength;
    for (const [oldest, { places }] of this.#maps) {
      if (this.#bytes <= this.#most) return;
      this.#maps.delete(oldest);
      this.#bytes -= places.byteLength;
    }
  }
}
