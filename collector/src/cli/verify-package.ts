/** `murmuration verify-package`: a package that was downloaded or installed, against the hashes that its release states in `SHA256SUMS`. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../base/fault.ts';
import { unreadBecause } from '../base/usage.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Hashes by path, in the form of `sha256sum`. */
export const sumsText = (sums: ReadonlyMap<string, string>): string => [...sums].map(([path, hash]) => `${hash}  ${path}\n`).join('');

/** The hashes of files, by name. */
export const sumsOf = (folder: string, names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.toSorted().map((name) => [name, sha256(readFileSync(join(folder, name)))]));

/** The files of a package, without those of packages that are installed in it. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('node_modules/'));

/** The name of a package's list of files, beside its tarball: `murmuration-client.files`. */
export const listOf = (packageName: string): string => `${packageName.replace('@', '').replace('/', '-')}.files`;

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file}: ${unreadBecause(error)}`);
  }
}

/** Reads a list of hashes. */
function sumsIn(file: string): ReadonlyMap<string, string> {
  const lines = read(file).toString().split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [, hash = '', path = ''] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
      if (hash === '') throw new UsageError(`${file}: expected lines of sha256sum, got ${JSON.stringify(line.slice(0, 80))}`);
      return [path, hash];
    }),
  );
}

/** Compares a file with its line. */
function compareFile(file: string, stated: ReadonlyMap<string, string>): readonly string[] {
  const name = basename(file);
  const hash = stated.get(name);
  if (hash === undefined) return [`${name}: expected a line in SHA256SUMS, got none`];
  const found = sha256(read(file));
  return found === hash ? [] : [`${name}: expected ${hash}, got ${found}`];
}

/** Compares a package's folder with the list of its files, and that list with its own line. */
function compareFolder(folder: string, sums: string, stated: ReadonlyMap<string, string>): readonly string[] {
  const { name } = JSON.parse(read(join(folder, 'package.json')).toString()) as { readonly name: string };
  const list = join(dirname(sums), listOf(name));
  const wrong = compareFile(list, stated);
  if (wrong.length > 0) return wrong;
  const expected = sumsIn(list);
  const found = sumsOf(folder, filesIn(folder));
  return [...new Set([...expected.keys(), ...found.keys()])]
    .toSorted()
    .filter((path) => expected.get(path) !== found.get(path))
    .map((path) => `${name}/${path}: expected ${expected.get(path) ?? 'no such file'}, got ${found.get(path) ?? 'none'}`);
}

function verify(place: string, { sums }: { readonly sums: string }): void {
  const stated = sumsIn(sums);
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const differences = isFolder ? compareFolder(place, sums, stated) : compareFile(place, stated);
  if (differences.length > 0) process.exitCode = 1;
  process.stdout.write(differences.length > 0 ? `${differences.join('\n')}\n` : `${place}: as ${sums} states\n`);
}

export function addVerifyPackage(program: Command): void {
  program
    .command('verify-package')
    .description('compare a tarball, or the folder of an installed package, with the SHA256SUMS of a release; exits 1 where they differ')
    .argument('<place>', 'a .tgz, or a folder such as node_modules/@murmuration/client')
    .option('--sums <file>', 'the hashes; for a folder, with the .files of the release beside it', 'SHA256SUMS')
    .action(verify);
}
