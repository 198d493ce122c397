/** The packed tarballs: what publint and attw say of them, and that a stranger's program can use them. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { beforeAll, describe, expect, test } from 'vitest';
import { SCRIPTS } from '../setup/build-client.ts';
import { installPacked, newApp, PACKAGES, type Packed, packOnce } from './packed.ts';
import { surfaceOf } from './surface.ts';

let packed: Packed;
let folder: string;
beforeAll(async () => {
  packed = await packOnce();
  folder = await newApp(packed);
  for (const name of PACKAGES) {
    await mkdir(unpacked(name), { recursive: true });
    execFileSync('tar', ['-xzf', '-', '-C', unpacked(name)], { input: tarball(name) });
  }
});

const tarball = (name: string): Buffer => packed.tarballs[name] as Buffer;
const unpacked = (name: string): string => join(folder, 'unpacked', name);
/** The text of a file in a tarball. */
const textOf = (name: string, file: string): string => readFileSync(join(unpacked(name), file), 'utf8');

interface Manifest {
  readonly name: string;
  readonly exports: { readonly [path: string]: { readonly types: string; readonly [condition: string]: string } };
  readonly sideEffects: boolean;
  readonly dependencies: { readonly [name: string]: string };
}

/** The manifest as it is packed. */
const manifestOf = (name: string): Manifest => JSON.parse(textOf(name, 'package/package.json')) as Manifest;

const filesOf = (name: string): readonly string[] =>
  readdirSync(unpacked(name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(unpacked(name), join(entry.parentPath, entry.name)))
    .sort();

describe.each(PACKAGES)('%s', (name) => {
  test('publint finds nothing', async () => {
    const bytes = new Uint8Array(tarball(name)).buffer;
    const { messages } = await publint({ pack: { tarball: bytes }, strict: true });
    expect(messages).toEqual([]);
  });

  test('attw finds nothing wrong with its types, for those who import modules', async () => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball(name))));
    const problems = result.types ? result.problems : ['no types'];
    const ofModules = problems.filter((problem) => {
      const { resolutionKind = '' } = problem as { readonly resolutionKind?: string };
      return !['node10', 'node16-cjs'].includes(resolutionKind);
    });
    expect(ofModules).toEqual([]);
  });

  test('its exports name types first, are there, and have no side effects', () => {
    const { exports, sideEffects, dependencies } = manifestOf(name);
    const files = filesOf(name);
    expect(sideEffects).toBe(false);
    for (const conditions of Object.values(exports)) {
      expect(Object.keys(conditions)).toEqual(['types', ...(name === 'collector' ? [] : ['development', 'production', 'node']), 'default']);
      for (const file of Object.values(conditions)) expect(files).toContain(`package/${file.slice(2)}`);
    }
    expect(Object.values(dependencies).filter((version) => version.includes('workspace'))).toEqual([]);
  });

  test('it holds sources, what is built of them, its page and its licence, and nothing else', () => {
    const others = filesOf(name).filter((file) => !/^package\/(src|dist|bin)\//.test(file));
    expect(others).toEqual(['package/LICENSE', 'package/README.md', 'package/package.json']);
    expect(filesOf(name).filter((file) => file.endsWith('.tsbuildinfo'))).toEqual([]);
  });
});

describe.each(['shared', 'client'])('the modules of %s, which browsers load as they are,', (name) => {
  const modules = (): readonly string[] => filesOf(name).filter((file) => /\/dist\/(development|production)\/(?!node\/).*\.js$/.test(file));

  test('hold no process.env and no require, and import nothing by name but the contract, the framework of a component, and cryptography', () => {
    expect(modules()).toContain(`package/dist/production/index.js`);
    for (const file of modules()) {
      const text = textOf(name, file);
      expect([file, text.match(/process\.|\brequire\(/g)]).toEqual([file, null]);
      const named = [...text.matchAll(/^(?:import|export)\b[^'"]*["']([^."'][^"']*)["']/gm)].map(([, specifier]) => specifier);
      const noble = /\/(noble|tokens)\.js$/.test(file) ? named.filter((specifier) => specifier?.startsWith('@noble/')) : [];
      const allowed = ['@murmuration/shared', ...noble, ...(/\/(react|svelte|vue)\.js$/.exec(file)?.slice(1) ?? [])];
      expect([file, named.filter((specifier) => !allowed.includes(specifier as string))]).toEqual([file, []]);
    }
  });

  test('hold the checks for development, and leave them out for production', () => {
    const importers = modules().filter((file) => /from "\.\.?\/checks\.js"/.test(textOf(name, file)));
    expect(importers.filter((file) => file.includes('/development/')).length).toBeGreaterThan(0);
    expect(importers.filter((file) => file.includes('/production/') && !file.endsWith('/index.js'))).toEqual([]);
  });
});

test("the modules for React begin with 'use client', as bundlers for server components want it", () => {
  for (const file of ['development/', 'production/'].flatMap((mode) => [`${mode}react.js`, `${mode}components/react.js`]))
    expect(textOf('client', `package/dist/${file}`).split('\n')[0]).toBe('"use client";');
});

test('what is bundled of murmurhash3js-revisited stands under its licence', () => {
  const licence = textOf('shared', 'package/dist/production/hashing.js');
  expect(licence).toMatch(/^\/\*! murmurhash3js-revisited\nThe MIT License/m);
});

const entries = Object.entries(
  (JSON.parse(await readFile(new URL('../../client/package.json', import.meta.url), 'utf8')) as { publishConfig: Manifest }).publishConfig
    .exports,
);
test.each(entries)("the types of the client's %s are those that were reviewed; vitest -u takes new ones", async (path, { types }) => {
  const file = `${path === '.' ? 'index' : path.slice(2)}.d.ts.txt`;
  await expect(await surfaceOf(join(packed.folder, 'client', types))).toMatchFileSnapshot(`surface/${file}`);
});

test.each(Object.keys(SCRIPTS))('the integrity that the build prints is that of the packed %s', (script) => {
  const text = readFileSync(join(unpacked('client'), 'package/dist/browser', script));
  expect(packed.integrity[script]).toBe(`sha384-${createHash('sha384').update(text).digest('base64')}`);
});

const repository = fileURLToPath(new URL('../../', import.meta.url));
const NEWEST = join(repository, 'node_modules/typescript/bin/tsc');
const OLDEST = join(repository, 'node_modules/typescript-5.4/bin/tsc');

/** What a compiler says of files. It checks the packages' own types too. */
function compile(typescript: string, cwd: string, ...files: readonly string[]): string {
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--module',
    'nodenext',
    '--target',
    'es2022',
  ];
  try {
    return execFileSync(process.execPath, [typescript, ...options, '--lib', 'es2023,dom', ...files], { cwd, encoding: 'utf8' });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

/** A project with a right program, a wrong one, and one with the types of every subpath but those of React, Node and bundlers. */
async function newProject(): Promise<string> {
  const app = join(folder, 'app');
  await installPacked(packed, app, ['shared', 'client']);
  const program = (plan: string): string => `
    import { choice, createTelemetry, defineSchema, memoryStorage } from '@murmuration/client';
    import { assertRecorded, memoryTransport } from '@murmuration/client/testing';
    const schema = defineSchema({ app: 'a', version: 1, budget: { epsilon: 1, per: 'month' },
      metrics: { plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }) } });
    const sent = memoryTransport(schema);
    const telemetry = createTelemetry({ schema, endpoint: '/', consent: 'granted', storage: memoryStorage(), transport: sent.transport });
    telemetry.record('plan', '${plan}');
    await telemetry.close();
    await assertRecorded(sent, 'plan');`;
  const paths = entries
    .map(([path]) => path.slice(1))
    .filter((path) => !['/react', '/node', '/plugin', '/command'].includes(path) && !path.startsWith('/components/'));
  const types = paths.map((path) => `export type * as a${path.replace(/\W/g, '_')} from '@murmuration/client${path}';`);
  await writeFile(join(app, 'package.json'), '{"type":"module"}');
  await writeFile(join(app, 'right.ts'), program('pro'));
  await writeFile(join(app, 'wrong.ts'), program('prp'));
  await writeFile(join(app, 'all.ts'), types.join('\n'));
  return app;
}

/** All that a compiler may complain of there. */
const COMPLAINT = /^wrong\.ts\(.*'"prp"' is not assignable[^\n]*\n$/;

test('a program outside of the repository runs on the tarballs, and its mistakes do not compile, nor in the oldest TypeScript that client/README.md names', async () => {
  const readme = await readFile(new URL('../../client/README.md', import.meta.url), 'utf8');
  const { version } = createRequire(OLDEST)('typescript-5.4/package.json') as { readonly version: string };
  expect(readme).toContain(`TypeScript ${version.split('.').slice(0, 2).join('.')} or newer`);
  const app = await newProject();
  execFileSync(process.execPath, ['right.ts'], { cwd: app });
  expect(compile(NEWEST, app, 'right.ts', 'wrong.ts')).toMatch(COMPLAINT);
  // The types of React and Node are newer.
  expect(compile(OLDEST, app, 'right.ts', 'wrong.ts', 'all.ts')).toMatch(COMPLAINT);
});
