/**
 * `npm run build`: builds everything that the packages publish: types, the modules of shared and client twice, the collector, the scripts,
 * the dashboard.
 */

import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildClient } from './build-client.ts';
import { buildDashboard } from './build-dashboard.ts';
import { buildForJest, buildModules } from './build-modules.ts';

const PROJECTS = ['shared', 'client', 'client/src/node', 'collector'];
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/**
 * Builds what esbuild makes of the packages in a folder: all that they publish but types, and the collector.
 *
 * @returns by script of the client, the hash for its `integrity` attribute
 */
async function buildBundles(root: URL): Promise<{ readonly [script: string]: string }> {
  const [integrity] = await Promise.all([
    buildClient(new URL('client/', root)),
    buildDashboard(new URL('collector/', root)),
    ...['shared/', 'client/'].map((name) => buildModules(new URL(name, root))),
    buildForJest(new URL('client/', root)),
  ]);
  return integrity;
}

/** Builds the packages of the workspace in a folder, and returns what `buildBundles` does. */
export async function buildPackages(root: URL): Promise<{ readonly [script: string]: string }> {
  await Promise.all(['shared', 'client', 'collector'].map((name) => rm(new URL(`${name}/dist`, root), { recursive: true, force: true })));
  execFileSync(process.execPath, [tsc, '--build', '--force', '--checkers', '2', ...PROJECTS], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return buildBundles(root);
}

if (import.meta.main) {
  const integrity = await buildPackages(new URL('../../', import.meta.url));
  for (const [script, hash] of Object.entries(integrity))
    console.log(`<script src="${script}" integrity="${hash}" crossorigin="anonymous"></script>`);
}
