/** One line of `doctor`: what was seen, why it is so, and how to fix it. */

export interface Finding {
  /** The part that was examined, in one word. */
  readonly part: string;
  /** `open` if it could not be examined. */
  readonly state: 'fine' | 'fault' | 'open';
  readonly what: string;
  readonly why?: string;
  readonly fix?: string;
}

export const fine = (part: string, what: string): Finding => ({ part, state: 'fine', what });
export const open = (part: string, what: string, why: string): Finding => ({ part, state: 'open', what, why });
export const fault = (part: string, what: string, why: string, fix: string): Finding => ({ part, state: 'fault', what, why, fix });

const MARKS = { fine: 'ok   ', fault: 'FAULT', open: '?    ' } as const;
/** The width of the longest part. */
const WIDTH = 8;

/** The findings as a person reads them. */
export const inWords = (findings: readonly Finding[]): string =>
  findings
    .map(({ part, state, what, why, fix }) =>
      [
        `${MARKS[state]} ${part.padEnd(WIDTH)}${what}`,
        why && `${''.padEnd(WIDTH + 6)}why: ${why}`,
        fix && `${''.padEnd(WIDTH + 6)}fix: ${fix}`,
      ]
        .filter(Boolean)
        .join('\n'),
    )
    .join('\n');
