/** The prose of a Markdown page: its paragraphs, entries of lists and headings, without tables, code and links' targets. */

export interface Paragraph {
  /** Where it begins, from 1. */
  readonly line: number;
  /** How many lines it has. */
  readonly lines: number;
  /** On one line, without code and emphasis. */
  readonly text: string;
}

const FENCE = /^\s*(```|~~~)/;
/** What begins a paragraph of its own: an entry of a list, a quotation, a heading. */
const OPENING = /^\s*([-*+]|\d+\.|>|#+)\s+/;
/** What ends one and belongs to none: a table's row, HTML, a comment, a line of dashes. */
const OTHER = /^\s*(\||<|---)/;

const plain = (text: string): string =>
  text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/[*_[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** The paragraphs of a page, in order. */
export function paragraphsOf(page: string): readonly Paragraph[] {
  const found: Paragraph[] = [];
  let open: { line: number; texts: string[] } | undefined;
  const close = (): void => {
    if (open !== undefined) found.push({ line: open.line, lines: open.texts.length, text: plain(open.texts.join(' ')) });
    open = undefined;
  };
  let isCode = false;
  for (const [index, line] of page.split('\n').entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode || FENCE.test(line) || line.trim() === '' || OTHER.test(line)) close();
    else {
      if (OPENING.test(line)) close();
      open ??= { line: index + 1, texts: [] };
      open.texts.push(line.replace(OPENING, ''));
    }
  }
  close();
  return found;
}
