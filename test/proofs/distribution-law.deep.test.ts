/** Which law a distribution gets, for every number of cells. */

import { CELLS, EPSILONS, provesChange, provesGrid } from './distribution-law.ts';

provesGrid(
  EPSILONS,
  CELLS.filter((cells) => cells <= 32 || cells % 8 === 0 || cells % 25 === 0),
  [2, 3, 5, 8, 10, 15, 17, 33, 50, 64],
);
provesChange(CELLS);
