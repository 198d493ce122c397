/** The best of options by a private score: the device's input scores each option, and it reports one, the likelier the better. */

import { exponentialLaw } from '../mechanisms/exponential.ts';
import { assertAsk } from '../schema/asks.ts';
import { isList, optional, type Rule, rule } from '../schema/rules.ts';
import { type CallOf, type QuestionKind, same } from './kind.ts';
import type { Ask, Named, Question } from './question.ts';

/** What a question for the best of options says of itself. */
export interface BestAsk<I extends string = string> extends Omit<Ask<Named, NoInfer<I>>, 'mechanism'> {
  /** By input, the utility of each option: finite numbers, of which only the differences within an input count. */
  readonly utility: { readonly [input in I]: readonly number[] };
}

/**
 * Which option suits best? The device records which input holds; it never sends that, but an option, drawn by the input's
 * utilities. The shares of inputs are estimated, and every option that is reported is nearly as good as the best one.
 */
export function best<const I extends string>(options: readonly string[], ask: BestAsk<I>): Question<I> {
  assertAsk('best(options, ask)', ask);
  const inputs = Object.keys(ask.utility);
  const utility = Object.values<readonly number[]>(ask.utility);
  return {
    type: 'best',
    ask,
    fields: { options, inputs, utility },
    size: inputs.length,
    law: (_size, epsilon) => exponentialLaw(utility, epsilon),
    input: (value) => {
      const index = inputs.indexOf(value);
      return index < 0 ? undefined : index;
    },
    labels: () => options,
    answers: () => inputs,
  };
}

/** Its fields in a document: a row of utilities for each input, with one for each option. */
export interface BestFields {
  readonly inputs: readonly string[];
  readonly options: readonly string[];
  readonly utility: readonly (readonly number[])[];
}

const MAX_TABLE = 64;

/** A row for each input, as long as the first. */
const isTable = (): Rule =>
  rule(
    `2 to ${MAX_TABLE} rows of 2 to ${MAX_TABLE} finite numbers, one for each option`,
    (rows: readonly (readonly number[])[]) =>
      [rows.length, rows[0]?.length ?? 0].every((length) => length > 1 && length <= MAX_TABLE) &&
      rows.every((row) => Array.isArray(row) && row.length === rows[0]?.length && row.every(Number.isFinite)),
  );

const fitTable: Rule = (field, fields) => {
  const { inputs, options, utility } = fields as BestFields;
  const width = utility[0]?.length;
  rule(`${width} options, as many as a row has utilities`, () => options.length === width)(`${field}.options`, options);
  rule(`${inputs.length} rows, one for each input`, () => utility.length === inputs.length)(`${field}.utility`, utility);
};

/** What its constructor is called with, from a document. */
export const bestCall: CallOf<BestFields> = ({ inputs, options, utility }, ask) => [
  options,
  { ...ask, utility: Object.fromEntries(inputs.map((input, i) => [input, utility[i] ?? []])) },
];

export const bestKind: QuestionKind<BestFields> = {
  make: best,
  rules: () => ({
    options: isList('string'),
    inputs: isList('string'),
    utility: isTable(),
    // An outcome that is drawn by utilities has no second stage.
    permanent: optional(rule('no permanence of an outcome: ask a permanent choice of the input', () => false)),
  }),
  together: fitTable,
  answers: ({ inputs }) => inputs,
  takes: ({ inputs }) => `one of ${inputs.join(', ')}`,
  keeps: (before, after) => same(before.inputs, after.inputs.slice(0, before.inputs.length)),
  estimates: 'shares',
  only: 'exponential',
};
