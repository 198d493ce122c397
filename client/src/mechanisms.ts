/** Mechanisms that a list can name. Each carries its randomizers: a bundle holds those that an app imports, and no others. */

import { symmetricUnaryLaw, unaryLaw } from '@murmuration/shared';
import type { ListMechanism } from './questions.ts';
import { randomizeUnary } from './randomizers/unary.ts';

/**
 * Unary encoding, a bit for each answer: optimized, or symmetric.
 *
 * @example choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?', mechanism: unary() })
 */
export const unary = ({ symmetric = false }: { readonly symmetric?: boolean } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => (symmetric ? symmetricUnaryLaw : unaryLaw)(size, epsilon, permanent),
  randomizers: { unary: randomizeUnary },
});
