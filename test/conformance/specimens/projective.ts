import { type ProjectiveLaw, projectiveLaw } from '@murmuration/shared';
import { randomizeProjective } from '#client/randomizers/projective.ts';
import { indexReport } from '../../proofs/channel.ts';
import { isOrthogonal, pointsOf, setRow } from '../../proofs/geometry.ts';
import type { Specimen } from './specimen.ts';

export const projective: Specimen<ProjectiveLaw> = {
  randomize: randomizeProjective,
  row: ({ order, dimension, inside }, input, T) => {
    const points = pointsOf(order, dimension);
    return setRow(
      points.map((u) => isOrthogonal(order, u, points[input] as readonly number[])),
      inside,
      T,
    );
  },
  encode: ({ order, dimension }, { cells: [cell] }) => indexReport(cell as number, pointsOf(order, dimension).length),
  thresholds: ({ inside }) => [[inside, []]],
  laws: [projectiveLaw(2, 0.01), projectiveLaw(4, 1, 3), projectiveLaw(7, 1, 2), projectiveLaw(9, 2, 9)],
  small: [
    [projectiveLaw(4, 1, 3, 64), 64],
    [projectiveLaw(7, 1, 2, 32), 32],
    [projectiveLaw(13, 1.5, 3, 64), 64],
    [projectiveLaw(21, 1.5, 4, 64), 64],
    [projectiveLaw(9, 2, 8, 64), 64],
  ],
  large: [projectiveLaw(16, 0.5), projectiveLaw(20, 1), projectiveLaw(50, 3), projectiveLaw(31, 2, 9), projectiveLaw(40, 2, 2)],
  at: (e) => projectiveLaw(7, e, 2),
  lengths: [projectiveLaw(7, 1), projectiveLaw(1000, 4)],
};
