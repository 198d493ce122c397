/** Runs each mutant against the tests that are to notice it, two at a time, and says which test did. */

import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTANTS, type Mutant } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PROOFS = ['test/proofs/ledger-exhaustive.test.ts', 'test/proofs/ledger.test.ts'];
const LIVES = ['test/faults/client.test.ts', '-t', 'interleavings'];
const WORKERS = 2;
/** The test that counts worlds notices any change, and for no reason: it does not count. */
const COUNT = 'the worlds are as many as the names say';
let runs = 0;
/** A run that hangs has noticed, too, but in no way that says what is wrong. */
const PATIENCE = 300_000;

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

/** What noticed a mutant: a test, and what it said; undefined where all passed. */
function run({ name }: Mutant, tests: readonly string[]): Promise<string | undefined> {
  const out = join(tmpdir(), `murmuration-mutant-${process.pid}-${runs++}.json`);
  const config = ['--config', 'test/faults/client/mutant-plugin.config.ts', '--testTimeout', '60000', '--bail', '1'];
  const args = ['vitest', 'run', ...config, '--reporter', 'json', '--outputFile', out, ...tests];
  const child = spawn('npx', args, { cwd: ROOT, env: { ...process.env, MURMURATION_MUTANT: name }, stdio: 'ignore' });
  const timer = setTimeout(() => child.kill(), PATIENCE);
  return new Promise((resolve) => {
    child.on('close', async (code) => {
      clearTimeout(timer);
      const { testResults = [] } = JSON.parse(await readFile(out, 'utf8').catch(() => '{}')) as Report;
      await rm(out, { force: true });
      const failed = testResults
        .flatMap(({ assertionResults }) => assertionResults)
        .find(({ status, fullName }) => status === 'failed' && fullName !== COUNT);
      const isTried = testResults.some(({ assertionResults }) => assertionResults.length > 0);
      if (failed) resolve(`${failed.fullName}: ${failed.failureMessages[0]?.slice(0, 160).replaceAll('\n', ' ')}`);
      else resolve(isTried ? undefined : `BROKEN, exit ${code}: ${testResults[0]?.message ?? 'no report'}`);
    });
  });
}

/** Tries the mutants whose names hold one of the words; how many survived, or could not be tried. */
export async function mutation(words: readonly string[]): Promise<number> {
  const chosen = MUTANTS.filter(({ name, file }) => words.length === 0 || words.some((word) => `${file} ${name}`.includes(word)));
  const waiting = [...chosen];
  let survivors = 0;
  console.log('| file | mutant | noticed by |\n|---|---|---|');
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const isPure = /^(ledger.(ledger|state)|record|slots)/.test(mutant.file);
      const noticed = (isPure ? await run(mutant, PROOFS) : undefined) ?? (await run(mutant, LIVES));
      if (!noticed || noticed.startsWith('BROKEN')) survivors++;
      console.log(`| ${mutant.file} | ${mutant.name} | ${noticed?.replaceAll('|', '/') ?? 'NOBODY'} |`);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  process.stderr.write(`${chosen.length} mutants, ${survivors} survived\n`);
  return survivors;
}
