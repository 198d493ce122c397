/**
 * The files of `npm run test:fast`. Unit tests always run: those of shared, client and collector that start no process, no browser and no
 * bundler, and that take at most a few seconds of CPU time. Tests of changed files run as well: a proof that has itself changed, the proofs
 * named after a changed file, and the conformance suite when a law, a randomizer or an estimator has changed.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';

const UNITS = [
  'test/setup/*.test.ts',
  'test/client/*.test.ts',
  'test/shared/*.test.ts',
  'test/collector/**/*.test.ts',
  'test/bench/**/*.test.ts',
];

/** Tests of those folders that were measured to take longer. */
const SLOW: readonly string[] = [
  'test/client/{development,otherwise,outbox,size}.test.ts',
  'test/collector/{answers,api}/*.test.ts',
  'test/collector/base/task-queue.test.ts',
  'test/collector/cli/{commands,settings}.test.ts',
  'test/collector/estimation/{bad-tallies,coverage,distribution,distribution-extremes,drawn,epochs,intervals,numbers}.test.ts',
  'test/collector/estimation/{shrunk,targets,watch,watch-fit}.test.ts',
  'test/collector/ingest/{abuse,clock}.test.ts',
  'test/collector/planning/{audit,plan}.test.ts',
  'test/collector/release/mechanisms/*.test.ts',
  'test/collector/schemas/{joint-text,versions}.test.ts',
  'test/collector/server/{connections,process}.test.ts',
  'test/collector/storage/{app-ids,conformance,fold}.test.ts',
  'test/collector/storage/sqlite/{backup,draft,lock,migrate,owner,writer}.test.ts',
  'test/shared/production.test.ts',
];

/** The folders with the mathematics. */
const LAWS = /^(shared|client|collector)\/src\/(mechanisms|randomizers|estimation|random)\//;

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Files that differ from the main branch, committed or not; empty without git. */
function changedFiles(): readonly string[] {
  try {
    const base = git('merge-base', 'HEAD', 'main').trim();
    return `${git('diff', '--name-only', base)}${git('ls-files', '--others', '--exclude-standard')}`.trim().split('\n');
  } catch {
    return [];
  }
}

/** The tests that run for changed files, in addition to the unit tests. */
export function testsOf(changed: readonly string[], proofs: readonly string[]): readonly string[] {
  const names = changed.filter((file) => /\/src\/.*\.tsx?$/.test(file)).map((file) => basename(file).replace(/\.tsx?$/, ''));
  const own = changed.filter((file) => /^test\/(client|collector|conformance|proofs|setup|shared)\/.*\.test\.ts$/.test(file));
  const named = proofs.filter((proof) => names.some((name) => proof === `${name}.test.ts` || proof.startsWith(`${name}-`)));
  const suite = changed.some((file) => LAWS.test(file) || file.startsWith('test/conformance/'));
  return [...own, ...named.map((proof) => `test/proofs/${proof}`), ...(suite ? ['test/conformance/conformance.test.ts'] : [])];
}

/** The files that the fast tier includes, and those that it excludes. */
export function fastFiles(): { readonly include: readonly string[]; readonly exclude: readonly string[] } {
  const wanted = testsOf(
    changedFiles(),
    readdirSync(new URL('../proofs', import.meta.url)).filter((file) => file.endsWith('.test.ts')),
  );
  return { include: [...UNITS, ...wanted], exclude: SLOW };
}
