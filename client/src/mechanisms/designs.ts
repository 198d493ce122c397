/** Mechanisms for lists, chosen by name, with short reports that support many answers each. */

import { hadamardLaw, projectiveLaw } from '@murmuration/shared';
import type { ListMechanism } from '../questions/question.ts';
import * as randomizing from '../randomizers/mechanisms.ts';

/** Throws a RangeError when the metric is permanent. */
export function refusePermanent(name: string, permanent: number | undefined): void {
  if (permanent === undefined) return;
  throw new RangeError(
    `${name}: expected a metric that is not permanent, for the two stages of one do not compose to this law, got a permanent epsilon of ${permanent}`,
  );
}

/**
 * Hadamard response (HR): reports of log₂ K bits, for a tally of K cells, a power of two.
 *
 * @param order Q, a power of two: an answer's set is one in Q outputs; by default the best for ε and the list
 * @example choice(countries, { epsilon: 1, description: 'Which country?', mechanism: hadamard() })
 */
export const hadamard = ({ order }: { readonly order?: number } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => {
    refusePermanent('hadamard', permanent);
    return hadamardLaw(size, epsilon, order);
  },
  ...randomizing.hadamard,
});

/**
 * Projective geometry response (PGR): close to the least possible variance, in reports of about log₂ d bits.
 *
 * @param order q, a prime power: an answer's set is one in about q outputs; by default the best for ε and the list
 * @example choice(countries, { epsilon: 1, description: 'Which country?', mechanism: projective() })
 */
export const projective = ({ order }: { readonly order?: number } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => {
    refusePermanent('projective', permanent);
    return projectiveLaw(size, epsilon, order);
  },
  ...randomizing.projective,
});
