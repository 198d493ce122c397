/** Short reports for long lists: what a list of more than 64 answers names. An app whose lists are short bundles none of it. */

import { bucketOf, fromBigEndian, longListLaw } from '@murmuration/shared';
import { lists } from './questions/lists.ts';
import type { ListMechanism, Randomizing } from './questions/question.ts';
import { randomizeLocalHashing } from './randomizers/local-hashing.ts';

/** Whether the report's cohort puts the answer in the report's bucket; reports of other laws say what they say anywhere. */
export const saysHashed: NonNullable<Randomizing['says']> = (law, bytes, answer) => {
  if (law.mechanism !== 'local-hashing') return undefined;
  const cell = fromBigEndian(bytes);
  return bucketOf(law.buckets, Math.floor(cell / law.buckets), answer) === cell % law.buckets;
};

/**
 * For lists of more than 64 answers, of a choice, a joint question or a histogram: reports of two or three bytes where they would
 * hold a bit for each answer, 32 bytes for 249 countries. The error is the same to within 3 %. It is the default's own rule, and
 * shorter lists may name it too: it changes nothing.
 *
 * It stands by itself because a bundler can't tell a short list from a long one. It costs a bundle about 700 bytes, and an app
 * whose lists are short needs none of them. So a schema in development asks for it by name where it makes a difference.
 *
 * @example choice(countries, { epsilon: 1, description: 'Which country?', mechanism: longList() })
 * @throws {RangeError} at `defineSchema` where the question is permanent: each report would name the same cohort, which links them
 */
export const longList = (): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => {
    if (permanent !== undefined) throw new RangeError('longList: expected a list that is not permanent, for its reports would be linked');
    return longListLaw(size, epsilon);
  },
  randomizers: { ...lists, 'local-hashing': randomizeLocalHashing },
  says: saysHashed,
});
