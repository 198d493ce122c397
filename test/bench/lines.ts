/** Rows of a benchmark's table: what was measured, beside what it is to be. */

/** What is measured, and what it is to be. */
export interface Line {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  readonly target?: { readonly atMost?: number; readonly atLeast?: number };
}

/** Whether a figure is what it is to be. A figure that could not be measured is not. */
export const holds = ({ measured, target }: Line): boolean =>
  target === undefined ||
  (measured <= (target.atMost ?? Number.POSITIVE_INFINITY) && measured >= (target.atLeast ?? Number.NEGATIVE_INFINITY));

const number = (x: number): string => (x >= 1_000 || Number.isInteger(x) ? x.toFixed(0) : x.toPrecision(3));

/** A line as cells: what, measured, the aim, and whether it holds. */
export function rowOf(line: Line): readonly string[] {
  const { what, measured, unit, target } = line;
  const bound =
    target?.atMost === undefined
      ? target?.atLeast === undefined
        ? ''
        : `at least ${number(target.atLeast)}`
      : `at most ${number(target.atMost)}`;
  return [what, `${number(measured)} ${unit}`.trim(), bound, target === undefined ? '' : holds(line) ? 'holds' : 'MISSED'];
}
