/** The packages as they would be published: a copy of their sources elsewhere, built and packed. */

import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPackages } from '../setup/build-packages.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

export const PACKAGES = ['shared', 'client', 'collector'] as const;

/** What was packed. */
export interface Packed {
  readonly folder: string;
  /** By script of the client, its hash. */
  readonly integrity: { readonly [script: string]: string };
  readonly tarballs: { readonly [name: string]: Buffer };
  readonly remove: () => Promise<void>;
}

/** Copies a package's sources, and links what it depends on: other packages to their copies. */
async function copyPackage(name: string, folder: string): Promise<void> {
  const [from, to] = [join(repository, name), join(folder, name)];
  await cp(from, to, { recursive: true, filter: (path) => !/\/(node_modules|dist)$/.test(path) });
  await mkdir(join(to, 'node_modules', '@murmuration'), { recursive: true });
  const modules = join(from, 'node_modules');
  const names = (await readdir(modules)).filter((entry) => !entry.startsWith('.') && entry !== '@murmuration');
  for (const entry of names) await symlink(join(modules, entry), join(to, 'node_modules', entry));
  for (const other of PACKAGES) await symlink(join(folder, other), join(to, 'node_modules', '@murmuration', other));
}

/** Unpacks tarballs in a project's `node_modules`, and links what they depend on beside them, as npm would have installed it. */
export async function installPacked({ folder, tarballs }: Packed, project: string, names: readonly string[]): Promise<void> {
  const modules = join(project, 'node_modules');
  for (const name of names) {
    const to = join(modules, '@murmuration', name);
    await mkdir(to, { recursive: true });
    execFileSync('tar', ['-xzf', '-', '--strip-components=1', '-C', to], { input: tarballs[name] });
    const { dependencies = {} } = JSON.parse(await readFile(join(to, 'package.json'), 'utf8')) as {
      readonly dependencies?: { readonly [name: string]: string };
    };
    for (const other of Object.keys(dependencies).filter((dependency) => !dependency.startsWith('@murmuration/')))
      await symlink(join(folder, name, 'node_modules', other), join(modules, other));
  }
}

/** Builds and packs in a folder that is new. */
export async function packPackages(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-packed-'));
  for (const file of ['tsconfig.base.json', 'package.json', 'pnpm-workspace.yaml', 'LICENSE'])
    await cp(join(repository, file), join(folder, file));
  for (const name of PACKAGES) await copyPackage(name, folder);
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const integrity = await buildPackages(pathToFileURL(`${folder}/`));
  const tarballs: { [name: string]: Buffer } = {};
  for (const name of PACKAGES) {
    const file = join(folder, `${name}.tgz`);
    execFileSync('npx', ['--yes', '--prefer-offline', 'pnpm@12.21.0', 'pack', '--out', file], { cwd: join(folder, name), stdio: 'ignore' });
    tarballs[name] = await readFile(file);
  }
  return { folder, integrity, tarballs, remove: () => rm(folder, { recursive: true }) };
}
