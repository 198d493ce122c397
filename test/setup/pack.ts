/** `npm run packages -- FOLDER`: builds the packages and packs them into tarballs, for machines that install them without the registry. */

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackages } from './build-packages.ts';

const root = new URL('../../', import.meta.url);
const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || others.length > 0) {
  console.error(`npm run packages -- FOLDER: expected one folder for the tarballs, got ${process.argv.slice(2).join(' ') || 'none'}`);
  process.exit(2);
}
const to = resolve(process.env['INIT_CWD'] ?? '.', folder);
mkdirSync(to, { recursive: true });
await buildPackages(root);
for (const name of ['shared', 'client', 'collector'])
  execFileSync('npx', ['--yes', '--prefer-offline', 'pnpm@12.21.0', 'pack', '--out', `${to}/%s.tgz`], {
    cwd: fileURLToPath(new URL(name, root)),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
console.log(`npm install --global ${to}/*.tgz`);
