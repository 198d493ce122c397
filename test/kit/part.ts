/** A part of the accuracy benchmark: a table, and the gates that did not hold. */

export interface Part {
  readonly title: string;
  /** Each gate that did not hold: what was expected, what came. */
  readonly failures: readonly string[];
  /** The first is the heading. */
  readonly rows: readonly (readonly string[])[];
  /** For `--json`. */
  readonly result: unknown;
}

export const percent = (x: number): string => `${(100 * x).toFixed(2)} %`;

/** Three figures, as 1.57e-4. */
export const scientific = (x: number): string => x.toExponential(2);
