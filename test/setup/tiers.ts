/** The settings that all tiers of tests share. */

import { availableParallelism } from 'node:os';
import type { ViteUserConfig } from 'vitest/config';
import './compile-cache.ts';
import LongestFirst from './longest-first.ts';

/** Files of the deep tier, which no other tier runs. */
export const DEEP = 'test/**/*.deep.test.ts';

/** Three workers for two cores: files that drive browsers and processes wait as much as they work. */
const WORKERS = Math.ceil(1.5 * availableParallelism());

/** The settings for the tests of a tier: in Node, with one plain closing line. */
export const tier = (include: readonly string[], exclude: readonly string[] = []): ViteUserConfig => ({
  test: {
    include: [...include],
    exclude: [...exclude],
    globalSetup: ['./test/setup/run-folder.ts', './test/setup/postgres.ts', './test/setup/fill-compile-cache.ts'],
    reporters: ['default', './test/setup/closing-line.ts'],
    maxWorkers: WORKERS,
    maxConcurrency: 3, // browsers at a time; they wait more than they work
    sequence: { sequencer: LongestFirst },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
