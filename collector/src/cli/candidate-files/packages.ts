/** Lists of candidates in installed npm packages: `npm:NAME`, or `npm:NAME/FILE`. Nothing is ever downloaded. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../base/usage.ts';

const PREFIX = 'npm:';

/** The folder of a package, from this folder upwards. */
function folderOf(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? undefined : folderOf(name, dirname(from));
}

/** The file that a list's name means: a path itself, or a file of a package that is installed where the command runs. @throws {UsageError} */
export function fileOf(list: string): string {
  if (!list.startsWith(PREFIX)) return list;
  const [, name, inside] = /^npm:((?:@[\w.~-]+\/)?[\w.~-]+)(?:\/(.+))?$/.exec(list) ?? [];
  const folder = name === undefined ? undefined : folderOf(name, resolve('.'));
  if (folder === undefined) throw new UsageError(`--candidates ${list}: expected npm: and a package that is installed here, got none`);
  if (inside !== undefined) return join(folder, inside);
  const { main = 'index.js' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly main?: string };
  if (/\.(json|txt)$/.test(main)) return join(folder, main);
  throw new UsageError(
    `--candidates ${list}: expected the name of a .json or .txt file too, as in ${list}/words.txt, got a package of code`,
  );
}
