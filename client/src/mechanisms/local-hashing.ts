/** Local hashing, by name: of a list, and of strings. Each carries its law and its randomizers. */

import { bucketOf, fromBigEndian, type LocalHashingLaw, localHashingLaw, stringHashingLaw } from '@murmuration/shared';
import type { ListMechanism, Randomizing, TextMechanism } from '../questions.ts';
import { partsOf, randomizeLocalHashing, randomizeStringHashing, respondHashed } from '../randomizers/local-hashing.ts';

/** Whether the report's cohort puts the answer in the report's bucket. */
const says: Randomizing['says'] = (law, bytes, answer) => {
  const { buckets } = law as LocalHashingLaw;
  const [cohort, bucket] = partsOf(bytes, buckets);
  return bucketOf(buckets, fromBigEndian(cohort), answer) === bucket;
};

/**
 * Local hashing: reports of two or three bytes, however long the list is. `buckets` is a prime below the number of answers, 2
 * for binary local hashing; the one of least variance when left out.
 *
 * @example choice(answers, { epsilon: 1, description: 'Which of a thousand?', mechanism: localHashing() })
 */
export const localHashing = ({ buckets }: { readonly buckets?: number } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => localHashingLaw(size, epsilon, permanent, buckets),
  randomizers: { 'local-hashing': randomizeLocalHashing },
  respond: respondHashed,
  says,
});

/**
 * Local hashing of strings: as exact as RAPPOR, in reports of two to four bytes.
 *
 * @example text({ epsilon: 1, description: 'Home page', mechanism: stringHashing() })
 */
export const stringHashing = (): TextMechanism => ({
  takes: 'text',
  law: (_size, epsilon, devices, permanent) => stringHashingLaw(epsilon, devices, permanent),
  randomizers: { 'string-hashing': randomizeStringHashing },
  respond: respondHashed,
});
