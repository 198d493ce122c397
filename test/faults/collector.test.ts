/** Short runs of the collector's fault tests. `npm run faults -- collector` runs the long ones. */

import { describe, expect, test } from 'vitest';
import { collectorFaults } from './collector.ts';

describe('a collector comes through', () => {
  for (const { name, unable, short } of collectorFaults) {
    if (short === undefined) continue;
    const reason = unable?.();
    if (reason !== undefined) console.warn(`Not tried: ${name}, for ${reason}.`);
    else
      test(name, async () => {
        const { failures } = await short();
        expect(failures).toEqual([]);
      });
  }
});
