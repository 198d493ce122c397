/** The faults of a client, in short. `npm run faults -- client` has the long runs. */

import { describe, expect, test } from 'vitest';
import { clientFaults } from './client.ts';

describe('a client comes through', () => {
  for (const { name, short } of clientFaults) {
    test(name, async () => {
      const { failures, seen } = await short();
      expect(failures, [...failures, seen].join('; ')).toEqual([]);
    });
  }
});
