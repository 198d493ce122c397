/** The best of options by a private score: the device's input scores each option, and it reports one, the likelier the better. */

import { exponentialLaw } from '../mechanisms/exponential.ts';
import { assertAsk } from './asks.ts';
import type { Ask, Named, Question } from './question.ts';

/** What a question for the best of options says of itself. */
export interface BestAsk<I extends string = string> extends Omit<Ask<Named, NoInfer<I>>, 'mechanism'> {
  /** By input, the utility of each option: finite numbers, of which only the differences within an input count. */
  readonly utility: { readonly [input in I]: readonly number[] };
}

/**
 * Which option suits best? The device records which input holds; it never sends that, but an option, drawn by the input's
 * utilities. The shares of inputs are estimated, and every option that is reported is nearly as good as the best one.
 */
export function best<const I extends string>(options: readonly string[], ask: BestAsk<I>): Question<I> {
  assertAsk('best', ask);
  const inputs = Object.keys(ask.utility);
  const utility = Object.values<readonly number[]>(ask.utility);
  return {
    type: 'best',
    ask,
    fields: { options, inputs, utility },
    size: inputs.length,
    law: (_size, epsilon) => exponentialLaw(utility, epsilon),
    input: (value) => {
      const index = inputs.indexOf(value);
      return index < 0 ? undefined : index;
    },
    labels: () => options,
  };
}
