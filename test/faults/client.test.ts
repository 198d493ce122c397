/** Short runs of the client's fault tests. `npm run faults -- client` runs the long ones. */

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
