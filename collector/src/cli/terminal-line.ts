/** One line of a terminal that is written again and again, while something takes its time. Where there is no terminal, nothing is written. */

import type { WriteStream } from 'node:tty';

/** What is needed of standard error. */
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
