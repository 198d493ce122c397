/** Short reports for long lists: the mechanism for lists of more than 64 answers. Apps with short lists only do not bundle it. */

import { bucketOf, fromBigEndian, longListLaw } from '@murmuration/shared';
import { lists } from './questions/lists.ts';
import type { ListMechanism, Randomizing } from './questions/question.ts';
import { randomizeLocalHashing } from './randomizers/local-hashing.ts';

/** True if the report's cohort puts the answer into the report's bucket. Reports of other laws are read as usual. */
export const saysHashed: NonNullable<Randomizing['says']> = (law, bytes, answer) => {
  if (law.mechanism !== 'local-hashing') return undefined;
  const cell = fromBigEndian(bytes);
  return bucketOf(law.buckets, Math.floor(cell / law.buckets), answer) === cell % law.buckets;
};

/**
 * For lists of more than 64 answers, in a choice, a joint question or a histogram. Reports have two or three bytes instead of one bit per
 * answer, which is 32 bytes for 249 countries. The error is the same to within 3 %. Shorter lists may use it too; it changes nothing for
 * them.
 *
 * It is separate because a bundler can't tell a short list from a long one. It adds about 700 bytes to a bundle, which apps with short
 * lists do not need. In development a schema therefore asks for it by name where it makes a difference.
 *
 * @example choice(countries, { epsilon: 1, description: 'Which country?', mechanism: longList() })
 * @throws {RangeError} at `defineSchema` where the question is permanent: each report would name the same cohort, which links them
 */
export const longList = (): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => {
    if (permanent !== undefined)
      throw new RangeError('longList: expected a list that is not permanent, because its reports could be linked');
    return longListLaw(size, epsilon);
  },
  randomizers: { ...lists, 'local-hashing': randomizeLocalHashing },
  says: saysHashed,
});
