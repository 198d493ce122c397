import { type HadamardLaw, hadamardLaw } from '@murmuration/shared';
import { randomizeHadamard } from '#client/randomizers/hadamard.ts';
import { indexReport } from '../../proofs/channel.ts';
import { isOrthogonal, pointsOf, setRow, vectorsOf } from '../../proofs/geometry.ts';
import type { Specimen } from './specimen.ts';

export const hadamard: Specimen<HadamardLaw> = {
  randomize: randomizeHadamard,
  row: ({ order, dimension, inside }, input, T) => {
    const v = pointsOf(order, dimension)[input] as readonly number[];
    return setRow(
      vectorsOf(order, dimension).map((u) => isOrthogonal(order, u, v)),
      inside,
      T,
    );
  },
  encode: ({ order, dimension }, { cells: [cell] }) => indexReport(cell as number, order ** dimension),
  thresholds: ({ inside }) => [[inside, []]],
  laws: [hadamardLaw(2, 0.01), hadamardLaw(3, 1, 2), hadamardLaw(5, 1, 4), hadamardLaw(7, 1, 2)],
  small: [
    [hadamardLaw(3, 1, 2, 64), 64],
    [hadamardLaw(5, 1.5, 4, 32), 32],
    [hadamardLaw(6, 2, 2, 16), 16],
    [hadamardLaw(9, 2, 8, 64), 64],
  ],
  large: [hadamardLaw(16, 0.5), hadamardLaw(20, 1), hadamardLaw(50, 3), hadamardLaw(24, 1, 2), hadamardLaw(30, 2, 8)],
  at: (e) => hadamardLaw(7, e, 2),
  lengths: [hadamardLaw(3, 1, 2), hadamardLaw(1000, 1)],
};
