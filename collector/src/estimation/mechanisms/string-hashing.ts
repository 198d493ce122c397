/**
 * The shares of candidates from local hashing of strings. It is treated as a Bloom filter of k = g bits with one hash, whose reports have a
 * single one (strings.ts).
 */

import { type StringHashingLaw, stringHashingLaw } from '@murmuration/shared';
import type { StringEstimation } from '../estimation.ts';
import { candidatesBy } from '../strings.ts';
import { everyTallyFits } from '../watch/fit.ts';

export const stringHashing: StringEstimation<StringHashingLaw> = {
  ...candidatesBy<StringHashingLaw>(({ buckets, cohorts }) => ({ bits: buckets, hashes: 1, cohorts })),
  named: (_law, { devices, permanent }) => [(e) => stringHashingLaw(e, devices, permanent)],
  lawFor: stringHashingLaw,
  isSingle: true,
  fit: everyTallyFits,
  simulated: [{ of: 'text', name: 'string-hashing', client: 'stringHashing' }],
};
