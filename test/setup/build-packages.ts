/** Builds all that the packages publish: modules and types by tsc, the browser bundles, the dashboard. `npm run build` */

import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildClient } from './build-client.ts';
import { buildDashboard } from './build-dashboard.ts';

const PROJECTS = ['shared', 'client', 'client/src/node', 'collector'];
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/**
 * Builds the packages of the workspace in a folder.
 *
 * @returns the hash for the `integrity` attribute of the client's script
 */
export async function buildPackages(root: URL): Promise<string> {
  await Promise.all(['shared', 'client', 'collector'].map((name) => rm(new URL(`${name}/dist`, root), { recursive: true, force: true })));
  execFileSync(process.execPath, [tsc, '--build', '--force', ...PROJECTS], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const [integrity] = await Promise.all([buildClient(new URL('client/', root)), buildDashboard(new URL('collector/', root))]);
  return integrity;
}

if (import.meta.main) {
  const integrity = await buildPackages(new URL('../../', import.meta.url));
  console.log(`<script src="murmuration.min.js" integrity="${integrity}" crossorigin="anonymous"></script>`);
}
