/** Paths of files that pages and comments mention exist. Part of `npm run check`. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A path of two names or more, the last with an ending of code. `X` and `*` stand for any name. What begins with `src` is an app's. */
const PATH = /(?<![\w/@.:#$}-])(?:\.{1,2}\/)*((?!src\/)(?:[\w*][\w*.-]*\/)+[\w*][\w*.-]*\.(?:tsx?|md|py))\b/g;

/** Addresses and fenced code: they speak of other machines and of apps. */
const ELSEWHERE = /^(```+)[\s\S]*?^\1|https?:\S+/gm;

/** What a file says in prose: a page without its fenced code, or the comments of code. */
const proseOf = (file: string, text: string): string =>
  file.endsWith('.md')
    ? text.replace(ELSEWHERE, '')
    : [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm)].map(([all]) => all).join('\n');

/**
 * The paths that a file mentions and that no file's path ends with.
 *
 * @param files the paths of all files
 */
export function missingIn(file: string, text: string, files: readonly string[]): readonly string[] {
  const mentioned = new Set([...proseOf(file, text).replace(ELSEWHERE, '').matchAll(PATH)].map(([, path]) => path as string));
  return [...mentioned].filter((path) => {
    const pattern = path.replace(/[.]/g, '\\.').replace(/\*|\bX\b/g, '[^/]+');
    const isThere = new RegExp(`(^|/)${pattern}$`);
    return !files.some((each) => isThere.test(each));
  });
}

/** Pages that speak of files as they were, or of what an app has. */
const NOT_OURS = /(^|\/)CHANGELOG\.md$|^\.changeset\/|^examples\/|^docs\/recipes\.md$|^test\/house\/mentions/;

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split('\n');
  const read = files.filter((file) => /\.(tsx?|md)$/.test(file) && !NOT_OURS.test(file));
  const complaints = read.flatMap((file) =>
    missingIn(file, readFileSync(join(root, file), 'utf8'), files).map((path) => `${file}: mentions ${path}, which is no file`),
  );
  for (const complaint of complaints) console.error(complaint);
  console.log(`Mentions: ${read.length} files, ${complaints.length} paths that are not there`);
  if (complaints.length > 0 || read.length === 0) process.exitCode = 1;
}
