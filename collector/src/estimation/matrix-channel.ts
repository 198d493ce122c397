/** Common parts of mechanisms with few outputs: their channel is a matrix. */

import type { Law } from '@murmuration/shared';
import type { Estimation } from './estimation.ts';
import type { Rows } from './rows.ts';
import { ofRows } from './watch/bounds.ts';
import { matrixFit } from './watch/matrices.ts';

/** The members of an estimation that follow from the matrix alone. */
export const byMatrix = <L extends Law>(rows: (law: L) => Rows): Required<Pick<Estimation<L>, 'rows' | 'bounds' | 'fit'>> => ({
  rows,
  bounds: (law) => ofRows(rows(law)),
  fit: (law, tallies, perDevice) => matrixFit(rows(law), tallies, perDevice),
});
