/** Plain-text tables and progress lines for terminals. */

import type { WriteStream } from 'node:tty';

/** Rows under a heading. Columns are as wide as needed, and all but the first are right-aligned. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

// One line of a terminal that is written again and again, while something takes its time. Where there is no terminal, nothing is written.

/** The part of standard error that is used. */
export type Terminal = Pick<WriteStream, 'isTTY' | 'write'>;

const CLEAR = '\r\u001b[K'; // to the start of the line, and erase to its end (ECMA-48, EL)

/** Writes the line, and clears it in the end. */
export interface TerminalLine {
  readonly write: (text: string) => void;
  readonly clear: () => void;
}

/** A line, or undefined where there is no terminal. */
export const terminalLine = (terminal: Terminal): TerminalLine | undefined =>
  terminal.isTTY ? { write: (text) => void terminal.write(`${CLEAR}${text}`), clear: () => void terminal.write(CLEAR) } : undefined;
