/** Paths of files that pages and comments mention exist, and so do the targets of links between pages. Part of `npm run check`. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
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

/** The anchors of a page: its headings as GitHub names them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const headings = [...page.replace(ELSEWHERE, '').matchAll(/^#+ +(.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/\]\([^)]*\)/g, '')
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    headings.map((slug) => {
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

/**
 * The links of a page that lead to no file, or to no heading of a page.
 *
 * @param textOf the text of a page by its path
 * @param files the paths of all files
 */
export function brokenIn(page: string, text: string, files: readonly string[], textOf: (page: string) => string): readonly string[] {
  const links = [...text.replace(ELSEWHERE, '').matchAll(/\]\(([^)\s:]+)\)/g)].map(([, link]) => link as string);
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path).replace(/\/$/, '');
    const isThere = files.includes(target) || files.some((file) => file.startsWith(`${target}/`));
    return !isThere || (anchor !== undefined && target.endsWith('.md') && !anchorsOf(textOf(target)).has(anchor));
  });
}

/** Pages that speak of files as they were, or of what an app has. */
const NOT_OURS = /(^|\/)CHANGELOG\.md$|^\.changeset\/|^examples\/|^docs\/recipes\.md$|^test\/house\/mentions/;

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => existsSync(join(root, file))); // a file that is deleted and not committed yet is still listed
  const read = files.filter((file) => /\.(tsx?|md)$/.test(file) && !NOT_OURS.test(file));
  const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
  const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('.changeset/'));
  const complaints = [
    ...read.flatMap((file) => missingIn(file, textOf(file), files).map((path) => `${file}: mentions ${path}, which is no file`)),
    ...pages.flatMap((page) => brokenIn(page, textOf(page), files, textOf).map((link) => `${page}: links to ${link}, which is not there`)),
  ];
  for (const complaint of complaints) console.error(complaint);
  console.log(`Mentions: ${read.length} files, ${complaints.length} paths or links that lead nowhere`);
  if (complaints.length > 0 || read.length === 0) process.exitCode = 1;
}
