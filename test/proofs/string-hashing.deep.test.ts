/** Local hashing of strings: the fleets of `npm test`, twice as many and of twice as many devices. */

import { test } from 'vitest';
import { expectFleets, FLEETS } from './string-fleets.ts';

test.each(FLEETS)('%s, intervals cover and estimates have no bias, unlisted strings and few cohorts notwithstanding', (_, law) => {
  expectFleets(law, 250, 2_000);
});
