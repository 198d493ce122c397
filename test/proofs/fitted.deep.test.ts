/** Strings that are fitted together: four times the fleets of `npm test`. */

import { test } from 'vitest';
import { FITTED, oneOfEach } from './fitted-fleets.ts';
import { expectCalibrated } from './string-fleets.ts';

test.each(FITTED)('fleets %s: intervals cover, errors are those stated, and there is no bias', (_, fleet) => {
  expectCalibrated(oneOfEach(fleet, 600));
});
