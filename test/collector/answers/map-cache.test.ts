/** The cache of maps: the most recently used are kept, within its bytes, and none for long when nobody asks. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMapCache } from '#collector/answers/candidates.ts';

const mapOf = (bytes: number) => ({ candidates: bytes / 2, hashes: 1, places: new Uint16Array(bytes / 2) });
const [a, b, c] = [mapOf(40), mapOf(40), mapOf(40)];

let now = 1;
/** lru-cache holds the real `performance`, which fake timers replace. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
function pass(milliseconds: number): void {
  now += milliseconds;
  vi.advanceTimersByTime(milliseconds);
}

test('the least recently used map goes when there is no room', () => {
  const cache = createMapCache(100);
  cache.set('a', a);
  cache.set('b', b);
  expect(cache.get('a')).toBe(a);
  cache.set('c', c);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([a, undefined, c]);
});

test('a map larger than the cache is not kept, and takes no room from later ones', () => {
  const cache = createMapCache(100);
  cache.set('large', mapOf(200));
  expect(cache.get('large')).toBeUndefined();
  cache.set('a', a);
  cache.set('b', b);
  expect([cache.get('a'), cache.get('b')]).toEqual([a, b]);
});

test('a minute after the last use, nothing is kept', () => {
  const cache = createMapCache(100);
  cache.set('a', a);
  pass(59_000);
  expect(cache.get('a')).toBe(a);
  pass(59_000);
  expect(cache.get('a')).toBe(a);
  pass(61_000);
  expect(cache.size).toBe(0);
});

test('the map of a list without strings is kept', () => {
  const cache = createMapCache(100);
  const empty = mapOf(0);
  cache.set('empty', empty);
  expect(cache.get('empty')).toBe(empty);
});
