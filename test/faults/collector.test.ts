/** The faults of a collector, in short. `npm run faults -- collector` has the long runs. */

import { describe, expect, test } from 'vitest';
import { collectorFaults } from './collector.ts';

describe('a collector comes through', () => {
  for (const { name, unable, short } of collectorFaults) {
    const reason = unable?.();
    if (reason !== undefined) console.warn(`Not tried: ${name}, for ${reason}.`);
    else
      test(name, async () => {
        const { failures } = await short();
        expect(failures).toEqual([]);
      });
  }
});
