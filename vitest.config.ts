/** The tests: all of them, in Node, with one plain closing line. */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/setup/closing-line.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
