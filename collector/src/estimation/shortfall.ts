/** The utility loss of an exponential mechanism's outcomes, computed exactly from its matrix; lemma 7 of the paper gives only a bound. */

import { type MetricDocument, MODULUS } from '@murmuration/shared';

/** The least loss of utility, compared with the best option, that an outcome exceeds with probability at most `chance` for every input. */
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
