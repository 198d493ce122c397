/** The prose of code: its comments, and the texts that it shows to people. */

import type { Paragraph } from './paragraphs.ts';

/** A comment of code. A docstring begins with two asterisks. */
export interface Comment extends Paragraph {
  readonly isDocstring: boolean;
}

/** Comments with their strings beside them, so that neither is looked for within the other. Lines of `//` that follow each other are one. */
const TOKENS =
  /(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)|(?<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`)|\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*(?=[\s.,;:)\]])/g;

/** What a reader sees of a comment: without its marks, code and formulas in code. */
const plain = (comment: string): string =>
  comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^[ \t]*(?:\*|\/\/) ?/gm, '')
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/\s+/g, ' ')
    .trim();

const QUOTES = /^['"`]|['"`]$/g;

/** The text of an element of a page, up to the next element or value. */
const ELEMENT = /(?<=[\w"'}/]>)(?<text>[^<>{}=;()]+)(?=[<{])/g;

/** Texts of fewer words are names and keys. */
const FEWEST_WORDS = 4;

const lineAt = (code: string, index: number): number => code.slice(0, index).split('\n').length;

/** The comments of a file, in order. */
export const commentsOf = (code: string): readonly Comment[] =>
  [...code.matchAll(TOKENS)].flatMap(({ index, groups }) => {
    const comment = groups?.['comment'];
    if (comment === undefined) return [];
    const isDocstring = comment.startsWith('/**');
    return [{ line: lineAt(code, index), lines: comment.split('\n').length, text: plain(comment), isDocstring }];
  });

/** The texts of a file that are long enough to be sentences: messages, and the interface's words. */
export const textsOf = (code: string): readonly Paragraph[] =>
  [...code.matchAll(TOKENS), ...code.matchAll(ELEMENT)].flatMap(({ index, groups }) => {
    const text = groups?.['text']
      ?.replace(QUOTES, '')
      .replace(/\$\{[^}]*\}/g, 'CODE')
      .replace(/\s+/g, ' ')
      .trim();
    if (text === undefined || text.split(' ').length < FEWEST_WORDS) return [];
    return [{ line: lineAt(code, index), lines: 1, text }];
  });
