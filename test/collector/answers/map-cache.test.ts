/** The cache of maps: the most recently used are kept, within its bytes, and none for long when nobody asks. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MapCache } from '#collector/answers/candidates.ts';

const mapOf = (bytes: number) => ({ candidates: bytes / 2, hashes: 1, places: new Uint16Array(bytes / 2) });
const [a, b, c] = [mapOf(40), mapOf(40), mapOf(40)];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the least recently used map goes when there is no room', () => {
  const cache = new MapCache(100);
  cache.keep('a', a);
  cache.keep('b', b);
  expect(cache.get('a')).toBe(a);
  cache.keep('c', c);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([a, undefined, c]);
});

test('a map larger than the cache is not kept, and takes no room from later ones', () => {
  const cache = new MapCache(100);
  cache.keep('large', mapOf(200));
  expect(cache.get('large')).toBeUndefined();
  cache.keep('a', a);
  cache.keep('b', b);
  expect([cache.get('a'), cache.get('b')]).toEqual([a, b]);
});

test('a minute after the last use, nothing is kept', () => {
  const cache = new MapCache(100);
  cache.keep('a', a);
  vi.advanceTimersByTime(59_000);
  expect(cache.get('a')).toBe(a);
  vi.advanceTimersByTime(59_000);
  expect(cache.get('a')).toBe(a);
  vi.advanceTimersByTime(61_000);
  expect(cache.get('a')).toBeUndefined();
});
