/**
 * The best of several options by a private utility. The device's input gives each option a utility; the device reports one option at
 * random, more likely one with a high utility.
 */

import { exponentialLaw } from '../mechanisms/exponential.ts';
import { assertAsk, assertObject } from '../schema/asks.ts';
import { isList, optional, type Rule, rule } from '../schema/rules.ts';
import { type QuestionKind, same } from './kind.ts';
import type { Answering, Ask, Named, Question } from './question.ts';

/** The settings of a `best` question. */
export interface BestAsk<I extends string = string> extends Omit<Ask<Named, NoInfer<I>>, 'mechanism'> {
  /** The utility of each option, by input: finite numbers. Only the differences within an input matter. */
  readonly utility: { readonly [input in I]: readonly number[] };
}

/** Its fields in a document, with one row of utilities per input and one utility per option. */
export interface BestFields {
  readonly inputs: readonly string[];
  readonly options: readonly string[];
  readonly utility: readonly (readonly number[])[];
}

/** The values, and the options as labels. */
export const bestAnswering = ({ inputs, options }: BestFields): Answering<string> => ({
  size: inputs.length,
  input: (value) => {
    const index = inputs.indexOf(value);
    return index < 0 ? undefined : index;
  },
  labels: () => options,
  answers: () => inputs,
});

/**
 * Asks which option suits best. The device records its input but never sends it. It sends an option, drawn by the input's utilities. The
 * shares of inputs are estimated, and every reported option is nearly as good as the best one.
 */
export function best<const I extends string>(options: readonly string[], ask: BestAsk<I>): Question<I> {
  assertAsk('best(options, ask)', ask);
  assertObject('best(options, ask)', 'ask.utility', '{ few: [1, 0], many: [0, 1] }', ask.utility);
  const inputs = Object.keys(ask.utility);
  const utility = Object.values<readonly number[]>(ask.utility);
  const fields = { options, inputs, utility };
  return { ...bestAnswering(fields), type: 'best', ask, fields, law: (_size, epsilon) => exponentialLaw(utility, epsilon) };
}

const MAX_TABLE = 64;

/** One row for each input, all of the same length. */
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

export const bestKind: QuestionKind<BestFields> = {
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
