/**
 * Prose against its rules: the pages' length of paragraphs and sentences, and phrases to avoid in pages, comments, messages and the interface.
 * Part of `npm run check`.
 */

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commentsOf, textsOf } from './comments.ts';
import { type Paragraph, paragraphsOf } from './paragraphs.ts';
import { MOST_LINES, MOST_WORDS, OPENINGS, PHRASES, type Phrase } from './phrases.ts';

const phrasesIn = ({ line, text }: Paragraph, phrases: readonly Phrase[] = PHRASES): readonly string[] =>
  phrases.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(text)?.[0].trim();
    return found === undefined ? [] : [`${line}: instead of "${found}", write ${instead}`];
  });

/**
 * The complaints about a file of code, a line each: about its comments.
 *
 * @param isShipped true if the file is of a package: then its texts are read by people, and its docstrings open with a noun or a verb
 */
export const complaintsAboutCode = (code: string, isShipped: boolean): readonly string[] => {
  const comments = commentsOf(code);
  const read = comments.flatMap((comment) => phrasesIn(comment));
  if (!isShipped) return read;
  const openings = comments.filter(({ isDocstring }) => isDocstring).flatMap((comment) => phrasesIn(comment, [OPENINGS]));
  return [...read, ...openings, ...textsOf(code).flatMap((text) => phrasesIn(text))];
};

/** The complaints about a page, a line each. */
export function complaintsAbout(page: string): readonly string[] {
  return paragraphsOf(page).flatMap((paragraph) => {
    const { line, lines, text } = paragraph;
    return [
      ...(lines > MOST_LINES ? [`${line}: expected at most ${MOST_LINES} lines a paragraph, got ${lines}`] : []),
      ...text.split(/(?<=[.:?!]) /).flatMap((sentence) => {
        const words = sentence.split(' ').length;
        return words > MOST_WORDS
          ? [`${line}: expected at most ${MOST_WORDS} words a sentence, got ${words}: "${sentence.slice(0, 40)}..."`]
          : [];
      }),
      ...phrasesIn(paragraph),
    ];
  });
}

/** Folders of what is installed or built. */
const OTHERS = ['node_modules', 'dist', 'api', '.data', '.git'];

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const pages = globSync(['**/*.md', '.changeset/*.md', '.github/**/*.md'], {
    cwd: root,
    exclude: (path) => OTHERS.includes(basename(path)),
  });
  const files = globSync(['{client,shared,collector}/src/**/*.{ts,tsx}', '{test,examples}/**/*.{ts,tsx}'], {
    cwd: root,
    exclude: (path) => OTHERS.includes(basename(path)),
  }).filter((file) => !file.startsWith('test/prose/')); // which quotes what it looks for
  const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
  const complaints = [
    ...pages.flatMap((page) => complaintsAbout(textOf(page)).map((about) => `${page}:${about}`)),
    ...files.flatMap((file) => complaintsAboutCode(textOf(file), file.includes('/src/')).map((about) => `${file}:${about}`)),
  ];
  for (const complaint of complaints) console.error(complaint);
  console.log(`Prose: ${pages.length} pages, ${files.length} files of code, ${complaints.length} complaints`);
  if (complaints.length > 0 || pages.length === 0 || files.length === 0) process.exitCode = 1;
}
