/** The settings that all tiers of tests share. */

import { availableParallelism } from 'node:os';
import type { ViteUserConfig } from 'vitest/config';
import './compile-cache.ts';
import { VARIABLE } from './effort.ts';
import LongestFirst from './longest-first.ts';

/** Files of the deep tier, which no other tier runs. */
export const DEEP = 'test/**/*.deep.test.ts';

/** Files of `npm test` that the deep tier runs again, with more rounds, cases and browsers (effort.ts). */
export const DEEPER: readonly string[] = [
  'test/behaviour/{browser,lazy,workers}.test.ts',
  'test/browser/{inspector-looks,overview,plan,question,strings}.test.ts',
  'test/examples/{examples,relay}.test.ts',
  'test/publishing/{jest,plugin}.test.ts',
  'test/client/adapters/phone.test.ts',
  'test/faults/browsers.test.ts',
  'test/collector/decoding/{association,discover,discovered-shares}.test.ts',
  'test/collector/estimation/{coverage,distribution,drawn,drawn-bits,epochs,intervals,numbers,shrunk,targets,watch-fit}.test.ts',
  'test/collector/storage/fold.test.ts',
  'test/client/linkage.test.ts',
  'test/collector/planning/linkability.test.ts',
  'test/collector/cli/decode/read.test.ts',
  'test/proofs/{d-bit-flip,decode,exponential,permanent-device,pooled}.test.ts',
  'test/shared/choices.test.ts',
];

/** How much more. */
export const DEEP_EFFORT = 4;

/** Five workers for two cores: files that drive browsers and processes wait more than they work. */
const WAITING_WORKERS = Math.ceil(2.5 * availableParallelism());

/** Four workers for two cores: a few of these files wait, too. */
const WORKERS = 2 * availableParallelism();

/**
 * Folders of tests that share the processes they run in, one file after the other, and with them all modules that are loaded: a process and
 * its modules take longer than most of these files. Vitest reloads the test files themselves. What a file changes in the process, such as
 * an environment variable, it restores.
 */
const TOGETHER = 'test/{bench,client,collector,conformance,proofs,shared}/**';

/** The other folders of tests: each file has a process of its own. */
const ALONE = 'test/!(bench|client|collector|conformance|proofs|shared)/**';

/**
 * What Node itself loads, not Vitest: the packages' sources. In a module that Vitest has transformed, each use of an import is a call, which
 * takes a tenth of the CPU time of long calculations.
 */
const NATIVE = /\/(client|collector|shared)\/src\//;

/** The settings for the tests of a tier: in Node, with one plain closing line. */
export const tier = (include: readonly string[], exclude: readonly string[] = [], effort = 1): ViteUserConfig => ({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: [...include],
          exclude: [...exclude, TOGETHER],
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: [...include],
          exclude: [...exclude, ALONE],
          isolate: false,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    globalSetup: ['./test/setup/run-folder.ts', './test/setup/postgres.ts', './test/setup/fill-compile-cache.ts'],
    env: { [VARIABLE]: `${effort}` },
    reporters: ['default', './test/setup/closing-line.ts'],
    server: { deps: { external: [NATIVE] } },
    maxConcurrency: 3, // browsers at a time; they wait more than they work
    sequence: { sequencer: LongestFirst },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
