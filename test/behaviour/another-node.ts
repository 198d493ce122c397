/**
 * `npm run test:node -- PATH`: the client's behaviours in another Node than the one that runs the tests, such as the oldest that the
 * packages allow, which vitest does not run on.
 */

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { trace } from './behaviours.ts';
import type { Results } from './run.ts';

const [node] = process.argv.slice(2);
if (node === undefined) throw new TypeError('expected the path of a Node, got nothing');

const folder = await mkdtemp(join(tmpdir(), 'murmuration-another-node-'));
try {
  const outfile = join(folder, 'behaviours.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'node-entry.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    define: { TRACE: JSON.stringify(await trace()) },
    outfile,
  });
  const { passed, failed } = JSON.parse(execFileSync(node, [outfile], { encoding: 'utf8', timeout: 300_000 })) as Results;
  for (const reason of failed) console.error(reason);
  console.log(`${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}: ${passed.length} passed, ${failed.length} failed`);
  if (failed.length > 0 || passed.length === 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
