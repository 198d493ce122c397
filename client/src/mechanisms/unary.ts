/** Mechanisms that report bits for the answers of a list, chosen by name. */

import { dBitFlipLaw, symmetricUnaryLaw, unaryLaw } from '@murmuration/shared';
import type { ListMechanism } from '../questions/question.ts';
import * as randomizing from '../randomizers/mechanisms.ts';

/**
 * Unary encoding, one bit for each answer: optimized (OUE) or symmetric (SUE).
 *
 * @example choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?', mechanism: unary() })
 */
export const unary = ({ symmetric = false }: { readonly symmetric?: boolean } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => (symmetric ? symmetricUnaryLaw : unaryLaw)(size, epsilon, permanent),
  ...randomizing.unary,
});

/**
 * dBitFlip: bits for only `bits` of the answers. They are drawn together with the value and, if the metric is permanent, stored with it.
 *
 * @example permanent(histogram(edges, { epsilon: 1, description: 'Hours a day?', mechanism: dBitFlip({ bits: 4 }) }), { epsilon: 2, renew: 'year' })
 */
export const dBitFlip = ({ bits }: { readonly bits: number }): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => dBitFlipLaw(size, bits, epsilon, permanent),
  ...randomizing.dBitFlip,
});
