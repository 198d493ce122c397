import { type ExponentialLaw, exponentialLaw } from '@murmuration/shared';
import { randomizeExponential } from '#client/randomizers/exponential.ts';
import { distribution, indexReport, range } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { rational } from '../../proofs/rational.ts';
import type { Specimen } from './specimen.ts';

/** The first word of each outcome; outcomes follow one another. */
const startsOf = (row: readonly number[]): readonly number[] => range(row.length).map((j) => row.slice(0, j).reduce((a, b) => a + b, 0));

/** The row of an input. Each outcome has as many words as its weight, from its first word on, limited to the words that exist. */
export const exponentialRow = ({ weights }: ExponentialLaw, input: number, T: number): Distribution => {
  const row = weights[input] as readonly number[];
  return distribution(
    startsOf(row).map((start, j) => [indexReport(j, row.length), rational(Math.min(T - start, row[j] as number), T)] as const),
  );
};

/** Utilities of three inputs and four outcomes, one of which is best for no input. */
const THREE = [
  [10, 0, 0, 5],
  [0, 10, 0, 5],
  [0, 0, 10, 5],
];
const NEAR = range(4).map((i) => range(6).map((j) => -Math.abs(i - j)));
const TWO = [
  [1, 0],
  [0, 1],
];

export const exponential: Specimen<ExponentialLaw> = {
  randomize: randomizeExponential,
  row: exponentialRow,
  encode: ({ weights: [row] }, { cells: [cell] }) => indexReport(cell as number, (row as readonly number[]).length),
  thresholds: ({ weights: [row] }) => startsOf(row as readonly number[]).flatMap((start) => (start > 0 ? [[start, []] as const] : [])),
  laws: [exponentialLaw(TWO, 0.01), exponentialLaw(THREE, 1), exponentialLaw(NEAR, 4)],
  small: [
    [exponentialLaw(TWO, 1, 64), 64],
    [exponentialLaw(THREE, 2, 256), 256],
  ],
  large: [exponentialLaw(NEAR, 1), exponentialLaw(THREE, 4)],
  at: (e) =>
    exponentialLaw(
      [
        [1, 0],
        [0, 1],
      ],
      e,
    ),
  lengths: [
    exponentialLaw(
      [
        [1, 0, 2],
        [0, 1, 0],
      ],
      1,
    ),
  ],
};
