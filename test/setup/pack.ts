/**
 * `npm run packages -- FOLDER`: builds the packages and packs them into tarballs, for machines that install them without the registry. Beside
 * each is the list of its files, and the software that it needs (CycloneDX). `SHA256SUMS` has the hashes of all: the same sources give the
 * same ones.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesIn, listOf, sumsOf, sumsText } from '#collector/cli/verify-package.ts';
import { buildPackages } from './build-packages.ts';

const root = new URL('../../', import.meta.url);
const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || others.length > 0) {
  console.error(`npm run packages -- FOLDER: expected one folder for the tarballs, got ${process.argv.slice(2).join(' ') || 'none'}`);
  process.exit(2);
}
const to = resolve(process.env['INIT_CWD'] ?? '.', folder);
const pnpm = (cwd: string, ...words: readonly string[]): void =>
  void execFileSync('npx', ['--yes', '--prefer-offline', 'pnpm@12.21.0', ...words], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });

/** Writes the list of a tarball's files. */
function listFiles(tarball: string, list: string): void {
  const unpacked = mkdtempSync(join(tmpdir(), 'murmuration-packages-'));
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', unpacked]);
  writeFileSync(list, sumsText(sumsOf(unpacked, filesIn(unpacked))));
  rmSync(unpacked, { recursive: true });
}

/** The part of a CycloneDX document that pnpm writes otherwise each time. */
interface Needs {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string };
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** Writes what a package needs to run, by the lockfile: sorted, and without the number and the time of this document. */
function listNeeds(name: string, file: string): void {
  const options = ['--prod', '--lockfile-only', '--sbom-format', 'cyclonedx', '--out', file];
  pnpm(fileURLToPath(root), '--filter', `@murmuration/${name}`, 'sbom', ...options);
  const { serialNumber: _number, metadata, components, dependencies, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Needs;
  const { timestamp: _time, ...lasting } = metadata;
  const sorted = {
    ...{ ...rest, metadata: lasting },
    components: components.toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
    dependencies: dependencies
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.toSorted() }))
      .toSorted((a, b) => (a.ref < b.ref ? -1 : 1)),
  };
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

mkdirSync(to, { recursive: true });
await buildPackages(root);
const names = ['shared', 'client', 'collector'].flatMap((name) => {
  pnpm(fileURLToPath(new URL(name, root)), 'pack', '--out', `${to}/%s.tgz`);
  const [tarball, list, needs] = [`murmuration-${name}.tgz`, listOf(`@murmuration/${name}`), `murmuration-${name}.cdx.json`] as const;
  listFiles(join(to, tarball), join(to, list));
  listNeeds(name, join(to, needs));
  return [tarball, list, needs];
});
writeFileSync(join(to, 'SHA256SUMS'), sumsText(sumsOf(to, names)));
console.log(`npm install --global ${to}/*.tgz`);
