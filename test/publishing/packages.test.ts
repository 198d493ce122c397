/** The packed tarballs: what publint and attw say of them, that two builds agree, that a stranger's program can use them. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPacked, PACKAGES, type Packed, packPackages } from './packed.ts';
import { surfaceOf } from './surface.ts';

let packed: Packed;
beforeAll(async () => {
  packed = await packPackages();
});
afterAll(() => packed.remove());

const tarball = (name: string): Buffer => packed.tarballs[name] as Buffer;

interface Manifest {
  readonly name: string;
  readonly exports: { readonly [path: string]: { readonly types: string; readonly default: string } };
  readonly sideEffects: boolean;
  readonly dependencies: { readonly [name: string]: string };
}

/** The manifest as it is packed. */
function manifestOf(name: string): Manifest {
  const text = execFileSync('tar', ['-xzOf', '-', 'package/package.json'], { input: tarball(name), encoding: 'utf8' });
  return JSON.parse(text) as Manifest;
}

const filesOf = (name: string): readonly string[] =>
  execFileSync('tar', ['-tzf', '-'], { input: tarball(name), encoding: 'utf8' })
    .trim()
    .split('\n')
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
      expect(Object.keys(conditions)).toEqual(['types', 'default']);
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

const entries = Object.entries(
  (JSON.parse(await readFile(new URL('../../client/package.json', import.meta.url), 'utf8')) as { publishConfig: Manifest }).publishConfig
    .exports,
);
test.each(entries)("the types of the client's %s are those that were reviewed; vitest -u takes new ones", async (path, { types }) => {
  const file = `${path === '.' ? 'index' : path.slice(2)}.d.ts.txt`;
  await expect(await surfaceOf(join(packed.folder, 'client', types))).toMatchFileSnapshot(`surface/${file}`);
});

test('two builds, in two folders, give the same bytes', async () => {
  const again = await packPackages();
  try {
    const hashes = ({ tarballs }: Packed): readonly string[] =>
      PACKAGES.map((name) =>
        createHash('sha256')
          .update(tarballs[name] as Buffer)
          .digest('hex'),
      );
    expect(again.integrity).toBe(packed.integrity);
    expect(hashes(again)).toEqual(hashes(packed));
  } finally {
    await again.remove();
  }
});

test('the integrity that the build prints is that of the packed script', () => {
  const script = execFileSync('tar', ['-xzOf', '-', 'package/dist/browser/murmuration.min.js'], { input: tarball('client') });
  expect(packed.integrity).toBe(`sha384-${createHash('sha384').update(script).digest('base64')}`);
});

test('a program outside of the repository runs on the tarballs, and its mistakes do not compile', async () => {
  const app = join(packed.folder, 'app');
  await installPacked(packed, app, ['shared', 'client']);
  const program = (plan: string): string => `
    import { choice, createTelemetry, defineSchema, memoryStorage } from '@murmuration/client';
    import { assertRecorded, memoryTransport } from '@murmuration/client/testing';
    const schema = defineSchema({ app: 'a', version: 1, budget: { epsilon: 1, per: 'month' },
      metrics: { plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }) } });
    const sent = memoryTransport();
    const telemetry = createTelemetry({ schema, endpoint: '/', consent: 'granted', storage: memoryStorage(), transport: sent.transport });
    telemetry.record('plan', '${plan}');
    await telemetry.close();
    await assertRecorded(sent, 'plan');`;
  await writeFile(join(app, 'package.json'), '{"type":"module"}');
  await writeFile(join(app, 'right.ts'), program('pro'));
  await writeFile(join(app, 'wrong.ts'), program('prp'));
  const tsc = (file: string): string => {
    const compiler = join(packed.folder, 'node_modules', '.bin', 'tsc');
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', '', '--lib', 'es2023,dom'];
    try {
      return execFileSync(compiler, [...options, file], { cwd: app, encoding: 'utf8' });
    } catch (error) {
      return (error as { readonly stdout: string }).stdout;
    }
  };
  expect(tsc('right.ts')).toBe('');
  expect(tsc('wrong.ts')).toMatch(/'"prp"' is not assignable/);
  execFileSync(process.execPath, ['right.ts'], { cwd: app });
});
