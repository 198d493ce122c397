/** An eleventh of the grid of fleets, spread over its laws, sizes and spectra: false discoveries, power beside the oracle, coverage. */

import { expect, test } from 'vitest';
import { gridFailures, gridTrials } from './grid.ts';

test('the decoder holds its rates from 300 to 100,000 reports and from ε 1 to 8', { timeout: 3_600_000 }, () => {
  expect(gridFailures(gridTrials(0, 11, 50_000), 1e-6)).toEqual([]);
});
