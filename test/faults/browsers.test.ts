/** The faults of a client in real browsers, in short. `npm run faults -- client` has the long runs. */

import { describe, test } from 'vitest';
import { browserFaults } from './browsers.ts';

describe.concurrent('a client comes through', () => {
  for (const { name, short } of browserFaults) {
    test(name, async ({ expect }) => {
      const { failures, seen } = await short();
      expect(failures, seen).toEqual([]);
    });
  }
});
