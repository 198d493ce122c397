/** The randomizers of every list of answers. */

import { randomizeKAry } from '../randomizers/k-ary.ts';
import type { Randomizers } from '../randomizers/randomizer.ts';
import { randomizeSubset } from '../randomizers/subset.ts';

export const lists: Randomizers = { 'k-ary': randomizeKAry, subset: randomizeSubset };
