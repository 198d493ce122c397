/** The behaviours in Node: from the sources, and as the build plugin writes them. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { memoryStorage } from '@murmuration/client';
import { esbuild } from '@murmuration/client/plugin';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { behaviours, trace } from './behaviours.ts';
import type { Results } from './run.ts';

behaviours(test, { storage: memoryStorage, hasEntropy: true, trace: await trace() });

test('every behaviour holds in a build with the plugin, which sends the same bytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-behaviours-'));
  const contents = `
    import { memoryStorage } from '@murmuration/client';
    import { behaviours } from './behaviours.ts';
    import { run } from './run.ts';
    export const { passed, failed } = await run((test) => behaviours(test, { storage: memoryStorage, hasEntropy: true, trace: TRACE }));`;
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir: folder,
    define: { TRACE: JSON.stringify(await trace()), 'process.env.NODE_ENV': '"production"' },
    plugins: [esbuild()],
    metafile: true,
    write: false,
  });
  const held = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  expect(held.filter((file) => /schema\/define\.ts|otherwise\.ts/.test(file))).toEqual([]);
  const file = join(folder, 'behaviours.mjs');
  await writeFile(file, outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '');
  const { passed, failed } = (await import(pathToFileURL(file).href)) as Results;
  await rm(folder, { recursive: true });
  expect(failed).toEqual([]);
  expect(passed.length).toBeGreaterThan(10);
});
