/** Runs each mutant against the tests that must detect it, two at a time, and reports which test did. */

import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTANTS } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../../..');
/**
 * First devices with written-down histories and the ledger alone, exactly and at random; then random lives. Tests of sizes, of explanations
 * and of the number of worlds are left out: they fail on any change, for no relevant reason.
 */
const TESTS = [
  ...['test/client', '--exclude', 'test/client/{size,development,adapters/*}.test.ts'],
  ...['test/proofs/ledger.test.ts', 'test/proofs/ledger-exhaustive.test.ts', 'test/proofs/permanent-device.test.ts'],
  ...['test/faults/client.test.ts', '-t', '^(?!the worlds are as many)'],
];
const WORKERS = 2;
/** Milliseconds after which a test is stopped. It then counts as not having detected anything, because it may only be slow. */
const PATIENCE = 400_000;
/** The most characters of a test's message. */
const SAID = 200;

interface Report {
  readonly testResults?: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Each run is a process group, so that it can be ended with all its workers. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const { pid } of children) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
});
let runs = 0;

/** A test's message in one line; for a property, the result for its counterexample. */
const saidIn = (message: string): string =>
  (/^Got (.*)/m.exec(message)?.[1] ?? (message.split('\n    at ')[0] as string)).slice(0, SAID).replaceAll('\n', ' ');

/**
 * The test that detected a mutant, with its message; undefined when all passed.
 *
 * @param name the name of the mutant; empty for the unchanged client
 */
function run(name: string): Promise<string | undefined> {
  const out = join(tmpdir(), `murmuration-mutant-${process.pid}-${runs++}.json`);
  const config = ['--config', 'test/faults/client/mutant-plugin.config.ts', '--testTimeout', String(PATIENCE), '--bail', '1'];
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...config, '--reporter', 'json', '--outputFile', out, ...TESTS];
  const env = { ...process.env, MUTANT: name };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'ignore', detached: true });
  children.add(child);
  return new Promise((resolve) => {
    child.on('close', async (code) => {
      children.delete(child);
      const { testResults = [] } = JSON.parse(await readFile(out, 'utf8').catch(() => '{}')) as Report;
      await rm(out, { force: true });
      const all = testResults.flatMap(({ assertionResults }) => assertionResults);
      const failed = all.filter(({ status }) => status === 'failed');
      const [noticed] = failed.filter(({ failureMessages: [message = ''] }) => !message.includes('Test timed out'));
      if (noticed) resolve(`${noticed.fullName}: ${saidIn(noticed.failureMessages[0] ?? '')}`);
      else if (failed[0]) resolve(`BROKEN: ${failed[0].fullName} did not end`);
      else resolve(all.length > 0 ? undefined : `BROKEN, exit ${code}: ${testResults[0]?.message ?? 'no report'}`);
    });
  });
}

/** Runs the mutants whose names contain one of the words. Returns how many survived or could not be run. */
export async function mutation(words: readonly string[]): Promise<number> {
  const failed = await run('');
  if (failed) throw new Error(`expected tests that pass without a mutant, got ${failed}`);
  const chosen = MUTANTS.filter(({ name, file }) => words.length === 0 || words.some((word) => `${file} ${name}`.includes(word)));
  const waiting = [...chosen];
  let survivors = 0;
  console.log('| file | mutant | noticed by |\n|---|---|---|');
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const noticed = await run(mutant.name);
      if (!noticed || noticed.startsWith('BROKEN')) survivors++;
      console.log(`| ${mutant.file} | ${mutant.name} | ${noticed?.replaceAll('|', '/') ?? 'NOBODY'} |`);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  process.stderr.write(`${chosen.length} mutants, ${survivors} survived\n`);
  return survivors;
}
