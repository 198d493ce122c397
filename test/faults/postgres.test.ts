/** Short runs of some fault tests of collectors on PostgreSQL. `npm run faults -- postgres` runs all of them, and longer. */

import { expect, test } from 'vitest';
import { shortPostgresFaults } from './postgres.ts';

for (const { name, unable, short } of shortPostgresFaults) {
  const reason = unable?.();
  if (reason !== undefined) console.warn(`Not tried: ${name}, for ${reason}.`);
  else
    test(`collectors on PostgreSQL come through: ${name}`, async () => {
      expect((await short()).failures).toEqual([]);
    });
}
