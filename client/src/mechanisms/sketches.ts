/** Apple's sketches over a list, chosen by name. */

import { countMeanSketchLaw, hadamardCountMeanSketchLaw } from '@murmuration/shared';
import type { ListMechanism } from '../questions/question.ts';
import * as randomizing from '../randomizers/mechanisms.ts';
import { refusePermanent } from './designs.ts';

/**
 * Count mean sketch (CMS): noisy bits that encode one of a few buckets. Setting `bits`, a prime below the number of answers, can cause more
 * collisions. They cost variance but leave no bias.
 *
 * @example choice(words, { epsilon: 4, description: 'Which of these words?', mechanism: countMeanSketch() })
 */
export const countMeanSketch = ({ bits }: { readonly bits?: number } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => countMeanSketchLaw(size, epsilon, permanent, bits),
  ...randomizing.countMeanSketch,
});

/**
 * Hadamard count mean sketch (HCMS): a single bit of the sketch, with the cohort and the number of the bit. `buckets` is a power of two.
 *
 * @example choice(words, { epsilon: 1, description: 'Which of these words?', mechanism: hadamardCountMeanSketch() })
 */
export const hadamardCountMeanSketch = ({ buckets }: { readonly buckets?: number } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => {
    refusePermanent('hadamard-count-mean-sketch', permanent);
    return hadamardCountMeanSketchLaw(size, epsilon, buckets);
  },
  ...randomizing.hadamardCountMeanSketch,
});
