/**
 * The finite channels of the laws whose outputs are few: P(output | input) as a matrix, a row for each input. Numbers are
 * rounded at random between two points, so any number's row is a mixture of the two points' rows.
 */

import { type DistributionLaw, type ExponentialLaw, MODULUS, type NumberLaw, oneBitSupport } from '@murmuration/shared';

/** The laws with a matrix. */
export type MatrixLaw = NumberLaw | Exclude<DistributionLaw, { mechanism: 'hierarchical' }> | ExponentialLaw;

/** P(output | input): a row for each input, each summing to 1. */
export type Rows = readonly (readonly number[])[];

const rows = (inputs: number, outputs: number, chance: (input: number, output: number) => number): Rows =>
  Array.from({ length: inputs }, (_, input) => Array.from({ length: outputs }, (__, output) => chance(input, output)));

/** Of a window of likelier outputs around each point (shared/src/mechanisms/piecewise.ts). */
function windowRows({ grid, window, inside }: { readonly grid: number; readonly window: number; readonly inside: number }): Rows {
  const [near, far] = [inside / (MODULUS * window), (MODULUS - inside) / (MODULUS * grid)];
  return rows(grid + 1, grid + window, (input, output) => (output >= input && output < input + window ? near : far));
}

/** Of two-sided geometric noise whose tails the end cells carry (shared/src/mechanisms/geometric.ts). */
function noiseRows({ tails }: { readonly tails: readonly number[] }): Rows {
  const most = tails.length;
  const below = (input: number, output: number): number => {
    if (output <= 0 || output > most) return output <= 0 ? 0 : MODULUS;
    return output <= input ? (tails[input - output] as number) : MODULUS - (tails[output - input - 1] as number);
  };
  return rows(most + 1, most + 1, (input, output) => (below(input, output + 1) - below(input, output)) / MODULUS);
}

const channels: { readonly [M in MatrixLaw['mechanism']]: (law: Extract<MatrixLaw, { mechanism: M }>) => Rows } = {
  piecewise: windowRows,
  scored: windowRows,
  'square-wave': windowRows,
  geometric: noiseRows,
  laplace: noiseRows,
  'one-bit': (law) => {
    const { p, q } = oneBitSupport(law);
    return [
      [1 - q, q],
      [1 - p, p],
    ];
  },
  hybrid: (law) => {
    const [part, truth, points] = [law.mix / MODULUS, law.truth / MODULUS, windowRows(law)];
    return points.map((row, input) => {
      const high = 1 - truth + (2 * truth - 1) * (input / law.grid);
      return [...row.map((chance) => part * chance), (1 - part) * (1 - high), (1 - part) * high];
    });
  },
  exponential: ({ weights }) => weights.map((row) => row.map((weight) => weight / MODULUS)),
};

/** The matrix of a law. */
export const rowsOf = (law: MatrixLaw): Rows => (channels[law.mechanism] as (law: MatrixLaw) => Rows)(law);
