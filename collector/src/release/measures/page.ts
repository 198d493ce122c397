/**
 * The interface of a measurement on the page of releases: the fields of its editor and its words. X.ts beside this file exports them as
 * `xOnPage`. They are apart from the rest of the kind, so that the page carries them alone.
 */

import type { Asked, ExpectedError, Made, Paid } from './measure.ts';

/** The fields of the editor that kinds of measurements have, beside the cost, in their order there. */
export interface Draft {
  readonly column: string;
  /** A value of the column. */
  readonly value: string;
  /** A second column. */
  readonly other: string;
  /** The columns of a table. */
  readonly columns: readonly string[];
  /** One column, or none. */
  readonly groupBy: string;
  /** How many reports are expected, where the error depends on it. */
  readonly about: string;
  readonly low: string;
  readonly high: string;
  /** The amount that is paid, in the unit. */
  readonly epsilon: string;
  readonly unit: 'epsilon' | 'rho';
}

/** The cost that a draft names, for kinds that take ρ. */
export const paidBy = ({ epsilon, unit }: Pick<Draft, 'epsilon' | 'unit'>): Paid => ({ [unit]: epsilon });

/** A cost in the unit that it was paid in: ε, or ρ where there is no ε. */
export const costInWords = ({ epsilon, rho }: { readonly epsilon?: string; readonly rho: string }): string =>
  epsilon === undefined ? `ρ ${rho}` : `ε ${epsilon}`;

/** A sentence for numbers below 0. */
export const BELOW_ZERO =
  'Numbers below 0 are small counts with noise. They are left as they are: with 0 in their place, sums and means would be too large.';

/** How the page writes whole numbers. */
type Whole = (value: number) => string;

/** One kind of measurement on the page. */
export interface OnPage<M extends Asked> {
  /** Its name in the menu of kinds. */
  readonly name: string;
  /** The fields that it has in the editor, besides the cost. */
  readonly fields: readonly Exclude<keyof Draft, 'epsilon' | 'unit'>[];
  /** True if it can be paid in ρ. */
  readonly takesRho?: true;
  readonly ofDraft: (draft: Draft) => M;
  /** The measurement as the title of an answer. */
  readonly title: (measure: M) => string;
  /** The heading of its numbers in a table. */
  readonly heading?: string;
  /** How its numbers are written. Default: as whole numbers. */
  readonly shown?: (value: number) => string;
  /** How far an answer is off, beside it. */
  readonly off: (made: Made & { readonly error: ExpectedError }, whole: Whole) => string;
  /** How far the answer will be off: the bound, and what stands before and after it. */
  readonly expected: (measure: M, error: ExpectedError, whole: Whole) => readonly [before: string, bound: string, after: string];
}

const SPACE = '\u00a0';
const MINUS = '\u2212';

export const CHANCE: string = `, with a probability of 95${SPACE}%`;

/** How far most answers are off: by their bound, of numbers or of something else. */
export const within =
  (of = ''): OnPage<Asked>['off'] =>
  ({ error, table }, whole) =>
    `± ${whole(Math.ceil(table?.within ?? error.within)).replace('-', MINUS)}${of} with 95${SPACE}%`;

/** How far each number will be off. */
export const eachNumber: OnPage<Asked>['expected'] = (_measure, { within: bound, allWithin, ranges }, whole) => {
  const all = allWithin === undefined ? '' : `; none of them by more than ${whole(Math.ceil(allWithin))}`;
  const sums = ranges
    ? ` Sums over ranges of days have a standard error of ${whole(Math.ceil(ranges.mean))}, at worst ${whole(Math.ceil(ranges.worst))}.`
    : '';
  return ['Each number is off by at most ', whole(Math.ceil(bound)), `${CHANCE}${all}.${sums}`];
};

/** 0.3124 -> 31.2 % */
export const percent = (share: number): string => `${(100 * share).toFixed(1)}${SPACE}%`;
