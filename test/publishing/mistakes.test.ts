/** Mistakes of a developer's first day on the packed client: how many the compiler or the build stops, and that production tells the others. */

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import type { Plugin } from './bundlers.ts';
import { MISTAKES, type Stop } from './mistakes.ts';
import { newClientApp, packOnce } from './packed.ts';

const TYPESCRIPT = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const OPTIONS = {
  compilerOptions: {
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
};

const fileOf = (mistake: (typeof MISTAKES)[number]): string => `mistake-${MISTAKES.indexOf(mistake)}.ts`;
const stoppedBy = (...stops: readonly Stop[]): typeof MISTAKES => MISTAKES.filter(({ stop }) => stops.includes(stop));
const namesOf = (mistakes: typeof MISTAKES): readonly string[] => mistakes.map(({ name }) => name);

let folder: string;
let plugin: Plugin;
beforeAll(async () => {
  const app = await newClientApp(await packOnce());
  folder = join(app, 'src');
  await mkdir(folder);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS));
  for (const mistake of MISTAKES) await writeFile(join(folder, fileOf(mistake)), mistake.text);
  const { resolve } = createRequire(join(app, 'main.js'));
  plugin = (await import(pathToFileURL(resolve('@murmuration/client/plugin')).href)) as Plugin;
});

/** Builds a program for production, into a file beside it. Rejects if the build fails. */
const built = (mistake: (typeof MISTAKES)[number]): Promise<object> =>
  build({
    entryPoints: [join(folder, fileOf(mistake))],
    outfile: join(folder, fileOf(mistake).replace('.ts', '.js')),
    bundle: true,
    format: 'esm',
    conditions: ['production'],
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['react'],
    logLevel: 'silent',
    plugins: [plugin.esbuild()],
  });

test('of 74, the compiler and the build stop 69', () => {
  expect(MISTAKES).toHaveLength(74);
  expect(stoppedBy('types', 'build')).toHaveLength(69);
});

test('the compiler stops those of types, and no other', async () => {
  const said = await promisify(execFile)(process.execPath, [TYPESCRIPT, '--project', folder]).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
  const lines = said.split('\n');
  const stopped = MISTAKES.filter((mistake) => lines.some((line) => line.includes(fileOf(mistake))));
  expect(namesOf(stopped)).toEqual(namesOf(stoppedBy('types')));
});

test("the plugin's build stops those of schemas, and names what it expected", async () => {
  for (const mistake of stoppedBy('build')) await expect(built(mistake), mistake.name).rejects.toThrow(/expected .*, got/s);
});

/** The outcomes of a program that was built for production. */
async function outcomesOf(mistake: (typeof MISTAKES)[number]): Promise<readonly string[]> {
  await built(mistake);
  const seen = globalThis as { outcomes?: string[] };
  seen.outcomes = [];
  await import(pathToFileURL(join(folder, fileOf(mistake).replace('.ts', '.js'))).href);
  await expect.poll(() => seen.outcomes?.length).toBeGreaterThan(0);
  return seen.outcomes;
}

test('an outcome tells the one that reaches production, and the others work there', async () => {
  for (const mistake of stoppedBy('outcome')) expect(await outcomesOf(mistake), mistake.name).toEqual(['wrong-type']);
  // A component's test: test/browser/react.test.ts.
  const works = stoppedBy('works').filter(({ text }) => !text.includes('useTelemetry({'));
  for (const mistake of works) expect(await outcomesOf(mistake), mistake.name).toEqual(['recorded']);
  expect(works).toHaveLength(3);
});
