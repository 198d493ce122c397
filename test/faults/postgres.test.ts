/** Short runs of some fault tests of collectors on PostgreSQL. `npm run faults -- postgres` runs all of them, and longer. */

import { expect, test } from 'vitest';
import { postgresFaults } from './postgres.ts';

/** Those that no test of `test/collector/postgres` has a part of. */
const SHORT = ['kill -9 of a collector', 'kill -9 of the postmaster', 'folds in four collectors at once', 'database full, then freed'];

for (const { name, unable, short } of postgresFaults.filter(({ name }) => SHORT.includes(name))) {
  const reason = unable?.();
  if (reason !== undefined) console.warn(`Not tried: ${name}, for ${reason}.`);
  else
    test(`collectors on PostgreSQL come through: ${name}`, async () => {
      expect((await short()).failures).toEqual([]);
    });
}
