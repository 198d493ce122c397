/** The packages as they would be published: a copy of their sources elsewhere, built and packed. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPackages } from '../setup/build-packages.ts';
import { runFolder } from '../setup/run-folder.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

export const PACKAGES = ['shared', 'client', 'collector'] as const;

/** What was packed. */
export interface Packed {
  readonly folder: string;
  /** By script of the client, its hash. */
  readonly integrity: { readonly [script: string]: string };
  readonly tarballs: { readonly [name: string]: Buffer };
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
    for (const other of Object.keys(dependencies).filter((dependency) => !dependency.startsWith('@murmuration/'))) {
      await mkdir(dirname(join(modules, other)), { recursive: true });
      if (!existsSync(join(modules, other))) await symlink(join(folder, name, 'node_modules', other), join(modules, other));
    }
  }
}

/** Copies the packages to a new folder, so that they can be built there. */
async function copyPackages(folder: string): Promise<URL> {
  await mkdir(folder);
  for (const file of ['tsconfig.base.json', 'package.json', 'pnpm-workspace.yaml', 'LICENSE'])
    await cp(join(repository, file), join(folder, file));
  for (const name of PACKAGES) await copyPackage(name, folder);
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return pathToFileURL(`${folder}/`);
}

/** Builds and packs in a folder. */
export async function packPackages(folder: string): Promise<Packed> {
  const integrity = await buildPackages(await copyPackages(folder));
  const packs = PACKAGES.map((name) => `(cd ${name} && pnpm pack --out ../${name}.tgz)`).join(' && ');
  const pnpm = ['--yes', '--prefer-offline', '--package', 'pnpm@12.21.0', '--call', packs];
  execFileSync('npx', pnpm, { cwd: folder, stdio: 'ignore' });
  return { folder, integrity, tarballs: await tarballsIn(folder) };
}

const tarballsIn = async (folder: string): Promise<Packed['tarballs']> =>
  Object.fromEntries(await Promise.all(PACKAGES.map(async (name) => [name, await readFile(join(folder, `${name}.tgz`))])));

/** Milliseconds between two looks for what another file's tests are packing. */
const LOOK = 100;

/**
 * The packages as this run of tests has packed them: the first file that asks packs, and others wait for it. Nobody writes into its folder
 * but into folders of their own, which `newApp` gives.
 */
export async function packOnce(): Promise<Packed> {
  const folder = join(runFolder(), 'packed');
  const result = join(runFolder(), 'packed.json');
  if (
    await mkdir(join(runFolder(), 'packing')).then(
      () => true,
      () => false,
    )
  ) {
    const outcome = await packPackages(folder).then(
      ({ integrity }) => ({ integrity }),
      (error: Error) => ({ error: String(error.stack) }),
    );
    await writeFile(`${result}.new`, JSON.stringify(outcome));
    await rename(`${result}.new`, result);
  }
  while (!existsSync(result)) await setTimeout(LOOK);
  const { integrity, error } = JSON.parse(await readFile(result, 'utf8')) as Pick<Packed, 'integrity'> & { readonly error?: string };
  if (error !== undefined) throw new Error(error);
  return { folder, integrity, tarballs: await tarballsIn(folder) };
}

/** A new project with the packed client, and what its plugin for bundlers needs. */
export async function newClientApp(packed: Packed): Promise<string> {
  const app = await newApp(packed);
  await installPacked(packed, app, ['shared', 'client']);
  for (const name of ['acorn', 'esbuild', 'unplugin'])
    await symlink(join(packed.folder, 'client', 'node_modules', name), join(app, 'node_modules', name));
  return app;
}

/** A new folder for a project of a test, beside the packages' dependencies. */
export const newApp = ({ folder }: Packed): Promise<string> => mkdtemp(join(folder, 'app-'));
