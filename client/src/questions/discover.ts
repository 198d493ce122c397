/** A string that the collector finds without a list of candidates, with its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizePrefixHashing } from '../randomizers/prefix-hashing.ts';
import type { DeviceQuestion } from './question.ts';

/** Asks for a string that nobody needs to list. `discover({ epsilon: 4, longest: 12, description: 'Which word?' })` */
export const discover = (ask: shared.DiscoverAsk): DeviceQuestion<string> => ({
  ...shared.discover(ask),
  randomizers: { 'prefix-hashing': randomizePrefixHashing },
});
