/** The pages against the rules for prose: length of paragraphs and sentences, and phrases to avoid. Part of `npm run check`. */

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { paragraphsOf } from './paragraphs.ts';
import { MOST_LINES, MOST_WORDS, PHRASES } from './phrases.ts';

/** What is wrong with a page, a line each. */
export function complaintsAbout(page: string): readonly string[] {
  return paragraphsOf(page).flatMap(({ line, lines, text }) => [
    ...(lines > MOST_LINES ? [`${line}: expected at most ${MOST_LINES} lines a paragraph, got ${lines}`] : []),
    ...text.split(/(?<=[.:?!]) /).flatMap((sentence) => {
      const words = sentence.split(' ').length;
      return words > MOST_WORDS
        ? [`${line}: expected at most ${MOST_WORDS} words a sentence, got ${words}: "${sentence.slice(0, 40)}..."`]
        : [];
    }),
    ...PHRASES.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(text)?.[0].trim();
      return found === undefined ? [] : [`${line}: instead of "${found}", write ${instead}`];
    }),
  ]);
}

/** Folders of what is installed or built. */
const OTHERS = ['node_modules', 'dist', 'api', '.data', '.git'];

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const pages = globSync(['**/*.md', '.changeset/*.md', '.github/**/*.md'], {
    cwd: root,
    exclude: (path) => OTHERS.includes(basename(path)),
  });
  const complaints = pages.flatMap((page) => complaintsAbout(readFileSync(join(root, page), 'utf8')).map((about) => `${page}:${about}`));
  for (const complaint of complaints) console.error(complaint);
  console.log(`Prose: ${pages.length} pages, ${complaints.length} complaints`);
  if (complaints.length > 0 || pages.length === 0) process.exitCode = 1;
}
