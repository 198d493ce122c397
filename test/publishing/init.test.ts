/** `init` of the packed client in a project of each framework: it overwrites nothing, and what it writes compiles, is built, and runs. */

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { components } from '../kit/components.ts';
import { launchChromium } from '../setup/chromium.ts';
import { newClientApp, packOnce } from './packed.ts';
import { agree, serveSite } from './site.ts';

const run = promisify(execFile);

/** The packages that each project lists. What it lists is not installed, unless this repository has it. */
const PROJECTS = {
  react: ['react', 'vite', 'vitest', 'typescript'],
  next: ['next', 'react', 'typescript'],
  vue: ['vue', 'vite', 'vitest', 'typescript'],
  nuxt: ['nuxt', 'typescript'],
  svelte: ['svelte', 'vite', 'vitest', 'typescript'],
  sveltekit: ['@sveltejs/kit', 'svelte', 'vite', 'typescript'],
  expo: ['expo', 'react-native', 'react-native-web', 'react', 'typescript'],
  'react-native': ['react-native', 'react', 'typescript'],
  vite: ['vite', 'vitest', 'typescript'],
  javascript: ['vite'],
  node: ['typescript'],
  common: [],
} as const;

/** As `npm create vite` and Next write it. React Native and Expo are not installed here, so what imports them is not compiled. */
const TYPESCRIPT = {
  compilerOptions: {
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom'],
    types: ['node'],
    jsx: 'react-jsx',
    strict: true,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    noUnusedLocals: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: Object.keys(PROJECTS).flatMap((name) =>
    /expo|native/.test(name) ? ['schema', 'telemetry.web'].map((file) => `${name}/src/telemetry/${file}.ts`) : [`${name}/**/*`],
  ),
};

let app: string;
let bin: string;
const init = async (name: string, ...args: readonly string[]): Promise<string> =>
  (await run(process.execPath, [bin, 'init', '--yes', ...args], { cwd: join(app, name) })).stdout;

beforeAll(async () => {
  const packed = await packOnce();
  app = await newClientApp(packed);
  bin = join(app, 'node_modules/@murmuration/client/bin/murmuration-client.js');
  await mkdir(join(app, 'node_modules/@types'));
  for (const name of ['react', '@types/react', '@types/node'])
    await symlink(join(packed.folder, 'client/node_modules', name), join(app, 'node_modules', name));
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify(TYPESCRIPT));
  for (const [name, dependencies] of Object.entries(PROJECTS)) {
    await mkdir(join(app, name, 'src'), { recursive: true });
    const type = name === 'common' ? 'commonjs' : 'module'; // `npm init` writes the former
    const manifest = { name: `my ${name}`, type, devDependencies: Object.fromEntries(dependencies.map((each) => [each, '*'])) };
    await writeFile(join(app, name, 'package.json'), JSON.stringify(manifest, null, '\t'));
    if (manifest.devDependencies['typescript']) await writeFile(join(app, name, 'tsconfig.json'), '{ "extends": "../tsconfig.json" }');
  }
  await mkdir(join(app, 'plain'));
  for (const name of [...Object.keys(PROJECTS), 'plain']) await init(name, ...(name === 'plain' ? ['--endpoint', '/t'] : []));
});

const filesOf = async (name: string): Promise<readonly string[]> =>
  (await readdir(join(app, name), { recursive: true })).filter((file) => /\.\w+$/.test(file) && !/json$/.test(file)).sort();

test('it finds the framework, the language and the runner of tests', async () => {
  const at = (folder: string, ...files: readonly string[]): readonly string[] => files.map((file) => `${folder}${file}`).sort();
  const [telemetry, lib] = ['src/telemetry/', 'src/lib/telemetry/'];
  expect(await filesOf('react')).toEqual(at(telemetry, 'Consent.tsx', 'schema.ts', 'telemetry.test.ts', 'telemetry.ts'));
  expect(await filesOf('next')).toEqual(at(telemetry, 'Consent.tsx', 'schema.ts', 'telemetry.test.mjs', 'telemetry.ts'));
  expect(await filesOf('expo')).toEqual(
    at(telemetry, 'Consent.tsx', 'schema.ts', 'telemetry.test.mjs', 'telemetry.ts', 'telemetry.web.ts'),
  );
  expect(await filesOf('nuxt')).toEqual(
    at('src/', 'components/Consent.client.vue', ...at('telemetry/', 'schema.ts', 'telemetry.test.mjs', 'telemetry.ts')),
  );
  expect(await filesOf('sveltekit')).toEqual(at(lib, 'Consent.svelte', 'schema.ts', 'telemetry.test.mjs', 'telemetry.ts'));
  expect(await filesOf('javascript')).toEqual(at(telemetry, 'consent.js', 'schema.js', 'telemetry.js', 'telemetry.test.mjs'));
  expect(await filesOf('plain')).toEqual(
    at('telemetry/', 'consent.js', 'murmuration.js', 'schema.js', 'telemetry.js', 'telemetry.test.mjs'),
  );
  expect(await readFile(join(app, 'next/src/telemetry/Consent.tsx'), 'utf8')).toMatch(/^'use client';/);
  expect(await readFile(join(app, 'react/src/telemetry/schema.ts'), 'utf8')).toContain("app: 'my-react'");
  expect(await readFile(join(app, 'react/package.json'), 'utf8')).toContain(
    '\n\t\t"collector": "murmuration serve --schema src/telemetry/schema.ts --minimum 1 --open"',
  );
});

test('it overwrites nothing, and says what comes next', async () => {
  const before = await readFile(join(app, 'vue/package.json'), 'utf8');
  await writeFile(join(app, 'vue/src/telemetry/schema.ts'), '// mine');
  const said = await init('vue', '--app', 'other', '--endpoint', 'https://t.example.com');
  expect(said).not.toContain('wrote');
  expect(said).toContain('next   npm run collector');
  expect(await readFile(join(app, 'vue/src/telemetry/schema.ts'), 'utf8')).toBe('// mine');
  expect(await readFile(join(app, 'vue/package.json'), 'utf8')).toBe(before);
  await writeFile(join(app, 'vue/src/telemetry/schema.ts'), await readFile(join(app, 'vite/src/telemetry/schema.ts'), 'utf8'));
  await expect(init('vue', '--framework', 'angular')).rejects.toThrow(/expected a framework, one of react, .*, got angular/);
});

test('what it writes compiles', async () => {
  const tsc = join(app, '..', 'node_modules/typescript/bin/tsc');
  const said = await run(process.execPath, [tsc, '-p', app]).catch((error: { readonly stdout: string }) => error);
  expect(said.stdout).toBe('');
});

test.each([
  ['react', 'telemetry/Consent.tsx'],
  ['next', 'telemetry/Consent.tsx'],
  ['vue', 'telemetry/Consent.vue'],
  ['nuxt', 'components/Consent.client.vue'],
  ['svelte', 'telemetry/Consent.svelte'],
  ['sveltekit', 'lib/telemetry/Consent.svelte'],
  ['vite', 'telemetry/consent.ts'],
  ['javascript', 'telemetry/consent.js'],
])('what it writes for %s is bundled', async (name, file) => {
  const { outputFiles } = await build({
    stdin: { contents: `import * as consent from './src/${file}';\nconsole.log(consent);`, resolveDir: join(app, name) },
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    splitting: true,
    outdir: join(app, name, 'out'),
    write: false,
    logLevel: 'silent',
    plugins: [components],
  });
  expect(outputFiles.map(({ text }) => text).join()).toContain('May we learn how you use this app?');
});

test('a page without a build asks, records and sends', async () => {
  await writeFile(
    join(app, 'plain/index.html'),
    '<!doctype html><title>Notes</title><script type="module" src="telemetry/consent.js"></script>',
  );
  const [browser, site] = await Promise.all([launchChromium(), serveSite(join(app, 'plain'))]);
  expect(await agree(browser, site.address, () => site.arrived)).toEqual([]);
  expect(site.arrived).toEqual(['darkMode']);
  await Promise.all([browser.close(), site.close()]);
});

test('the tests that it writes pass', async () => {
  for (const name of ['node', 'javascript', 'common'])
    await run(process.execPath, ['--test', join(app, name, 'src/telemetry/telemetry.test.mjs')]);
});
