/**
 * The shares of candidates from RAPPOR: a string sets h of the k bits of its Bloom filter, and each bit is reported independently
 * (strings.ts).
 */

import { type RapporLaw, rapporLaw } from '@murmuration/shared';
import type { StringEstimation } from '../estimation.ts';
import { candidatesBy } from '../strings.ts';
import { byPValue } from '../watch/fit.ts';
import { totalsPValue } from '../watch/ones.ts';

export const rappor: StringEstimation<RapporLaw> = {
  ...candidatesBy<RapporLaw>(({ bits, hashes, cohorts }) => ({ bits, hashes, cohorts })),
  named: (_law, { devices, permanent }) => [(e) => rapporLaw(e, devices, permanent)],
  lawFor: rapporLaw,
  isSingle: false,
  fit: byPValue((law, tallies, perDevice) => totalsPValue(law, law.bits, law.hashes, tallies, perDevice)),
  isOneBit: ({ hashes }) => hashes === 1,
  simulated: [{ of: 'text', name: 'rappor' }],
};
