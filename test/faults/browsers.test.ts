/** Short runs of the client's fault tests in real browsers. `npm run faults -- client` runs the long ones. */

import { afterAll, describe, test } from 'vitest';
import { closeBrowsers, shortBrowserFaults } from './browsers.ts';

afterAll(closeBrowsers);

describe.concurrent('a client comes through', () => {
  for (const { name, short } of shortBrowserFaults) {
    test(name, async ({ expect }) => {
      const { failures, seen } = await short();
      expect(failures, seen).toEqual([]);
    });
  }
});
