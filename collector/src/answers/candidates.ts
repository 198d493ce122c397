/**
 * The answers that an open-domain law is decoded against: the candidates, or each combination of candidate and answer when a list is asked
 * together with the string.
 */

import type { MetricDocument, StringLaw } from '@murmuration/shared';
import type { CellMap } from '../decoding/decode/evidence.ts';
import { cellMapOf } from '../decoding/decode/tallies.ts';
import { estimationOf } from '../estimation/mechanisms/table.ts';
import { type CandidateAnswer, presentationOf } from '../estimation/questions.ts';

/** The answers to look for; none where the metric has no text. */
export const candidateAnswersOf = (metric: MetricDocument, candidates: readonly string[]): readonly CandidateAnswer[] =>
  presentationOf(metric.type).candidates?.(metric, candidates) ?? [];

/** True if a metric has a string, and so takes candidates. */
export const takesCandidates = (metric: MetricDocument): boolean => presentationOf(metric.type).candidates?.(metric, []) !== undefined;

/*
 * The maps of lists that were looked for lately. Hashing a long list may take longer than decoding, and dashboards ask for the same lists again
 * and again. A map can be larger than everything else that a collector holds, so that none is kept for long when nobody asks.
 */

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

/** How often progress is told. */
const STEPS = 50;

/** The bytes of the map of so many texts. */
export function mapBytesOf(law: StringLaw, texts: number): number {
  const { cohorts, hashes } = estimationOf(law).bloom(law);
  return Uint16Array.BYTES_PER_ELEMENT * texts * cohorts * hashes;
}

/** The cells that texts set. `onDone` is told how many texts are done, now and then. */
export function sharedMapOf(law: StringLaw, texts: readonly string[], onDone: (texts: number) => void): CellMap {
  const places = new Uint16Array(new SharedArrayBuffer(mapBytesOf(law, texts.length)));
  const { hashes } = cellMapOf(law, []);
  const step = Math.max(1, Math.ceil(texts.length / STEPS));
  const each = places.length / Math.max(1, texts.length);
  for (let from = 0; from < texts.length; from += step) {
    onDone(from);
    places.set(cellMapOf(law, texts.slice(from, from + step)).places, from * each);
  }
  return { candidates: texts.length, hashes, places };
}
