/** How good the outcomes of an exponential mechanism are: exactly, by its matrix, where the paper's lemma 7 gives a bound. */

import { type MetricDocument, MODULUS } from '@murmuration/shared';

/** The least loss of utility against the best option that, whatever the input, an outcome exceeds with a probability of at most `chance`. */
export function shortfallOf({ utility, law }: Extract<MetricDocument, { type: 'best' }>, chance: number): number {
  const weights = law.mechanism === 'exponential' ? law.weights : [];
  const losses = utility.map((row, input) => {
    const best = Math.max(...row);
    const falling = row
      .map((score, outcome) => ({ loss: best - score, weight: weights[input]?.[outcome] ?? 0 }))
      .sort((a, b) => b.loss - a.loss);
    let worse = 0;
    for (const { loss, weight } of falling) {
      worse += weight;
      if (worse > chance * MODULUS) return loss;
    }
    return 0;
  });
  return Math.max(...losses);
}
