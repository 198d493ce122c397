/**
 * The finite channels of the laws whose outputs are few: P(output | input) as a matrix, a row for each input. Numbers are
 * rounded at random between two points, so any number's row is a mixture of the two points' rows.
 */

/** P(output | input): a row for each input, each summing to 1. */
export type Rows = readonly (readonly number[])[];

/** The rows of a channel, by the chance of an output given an input. */
export const rowsBy = (inputs: number, outputs: number, chance: (input: number, output: number) => number): Rows =>
  Array.from({ length: inputs }, (_, input) => Array.from({ length: outputs }, (__, output) => chance(input, output)));
