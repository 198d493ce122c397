/** The faults of a client in real browsers, in short. `npm run faults -- client` has the long runs. */

import { describe, expect, test } from 'vitest';
import { browserFaults } from './browsers.ts';

describe('a client comes through', () => {
  for (const { name, short } of browserFaults) {
    test(name, async () => {
      const { failures, seen } = await short();
      expect(failures, seen).toEqual([]);
    });
  }
});
