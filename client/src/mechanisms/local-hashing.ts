/** Local hashing, chosen by name, for lists and for strings. Each carries its law and its randomizers. */

import { bucketsFor, hashedLaw, kAryLaw, stringHashingLaw } from '@murmuration/shared';
import type { ListMechanism, TextMechanism } from '../questions/question.ts';
import * as randomizing from '../randomizers/mechanisms.ts';

/**
 * Local hashing: reports of two or three bytes, however long the list is. It applies even where `longList()` would choose a more exact law,
 * and supports permanent lists. `buckets` is 4 or a prime below the number of answers, 2 for binary local hashing; by default the number
 * with the least variance.
 *
 * @example choice(answers, { epsilon: 1, description: 'Which of a thousand?', mechanism: localHashing() })
 */
export const localHashing = ({ buckets }: { readonly buckets?: number } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, _permanent, response) =>
    hashedLaw(size, epsilon, buckets ?? bucketsFor(size, epsilon, !!response), response ?? kAryLaw),
  ...randomizing.localHashing,
});

/**
 * Local hashing of strings: as exact as RAPPOR, in reports of two to four bytes.
 *
 * @example text({ epsilon: 1, description: 'Home page', mechanism: stringHashing() })
 */
export const stringHashing = (): TextMechanism => ({
  takes: 'text',
  law: (_size, epsilon, devices, permanent) => stringHashingLaw(epsilon, devices, permanent),
  ...randomizing.stringHashing,
});
