/** The tests: all of them, in Node, with one plain closing line. */

import { defineConfig } from 'vitest/config';
import './test/setup/compile-cache.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: './test/setup/fill-compile-cache.ts',
    reporters: ['default', './test/setup/closing-line.ts'],
    maxWorkers: '100%',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
