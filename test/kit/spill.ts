/** A `localStorage` for tests. */

import type { Spill } from '@murmuration/client';

/** Keeps items in a map. */
export const spillOver = (items: Map<string, string>): Spill => ({
  get length() {
    return items.size;
  },
  key: (index) => [...items.keys()][index] ?? null,
  getItem: (key) => items.get(key) ?? null,
  setItem: (key, value) => void items.set(key, value),
  removeItem: (key) => void items.delete(key),
});
