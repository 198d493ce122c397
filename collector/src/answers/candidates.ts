/**
 * The answers that an open-domain law is decoded against: the candidates, or each combination of candidate and answer when a list is asked
 * together with the string.
 */

import type { MetricDocument, StringLaw } from '@murmuration/shared';
import { LRUCache } from 'lru-cache';
import type { CellMap } from '../decoding/decode/evidence.ts';
import { cellMapOf } from '../decoding/decode/tallies.ts';
import { estimationOf } from '../estimation/mechanisms/table.ts';
import { type CandidateAnswer, presentationOf } from '../estimation/questions.ts';

/** The answers to look for; none where the metric has no text. */
export const candidateAnswersOf = (metric: MetricDocument, candidates: readonly string[]): readonly CandidateAnswer[] =>
  presentationOf(metric.type).candidates?.(metric, candidates) ?? [];

/** True if a metric has a string, and so takes candidates. */
export const takesCandidates = (metric: MetricDocument): boolean => presentationOf(metric.type).candidates?.(metric, []) !== undefined;

/** Milliseconds that a map is kept after its last use. It can be larger than everything else that a collector holds. */
const KEPT = 60_000;

/**
 * The cache of the maps of lists that were looked for lately. Hashing a long list may take longer than decoding, and dashboards ask for the
 * same lists again and again.
 *
 * @param most bytes of all maps together
 */
export const createMapCache = (most: number): LRUCache<string, CellMap> =>
  new LRUCache({
    maxSize: most,
    sizeCalculation: ({ places }) => Math.max(1, places.byteLength),
    ttl: KEPT,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });

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
