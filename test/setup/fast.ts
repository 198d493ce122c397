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
  'test/collector/{abuse,audit,backup,bad-tallies,clock,commands,connections,coverage,distribution,distribution-extremes,drawn}.test.ts',
  'test/collector/{epochs,fold,intervals,joint-text,lock,migrate,numbers,plan,settings,shrunk,targets,versions}.test.ts',
  'test/collector/{watch,watch-fit,writer}.test.ts',
  'test/collector/reads/*.test.ts',
  'test/collector/store/*.test.ts',
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
