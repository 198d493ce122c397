/**
 * The finite channels of laws with few outputs: P(output | input) as a matrix, a row for each input. A number is rounded at random to one
 * of the two nearest points, so its row is a mixture of the rows of these points.
 */

/** P(output | input): a row for each input, each summing to 1. */
export type Rows = readonly (readonly number[])[];

/** The rows of a channel, from the probability of an output given an input. */
export const rowsBy = (inputs: number, outputs: number, chance: (input: number, output: number) => number): Rows =>
  Array.from({ length: inputs }, (_, input) => Array.from({ length: outputs }, (__, output) => chance(input, output)));
