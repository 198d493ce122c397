/**
 * The chosen laws of means and counts beside the lower bound over all mechanisms: worst-case variances of one report, in closed form, on
 * [-1, 1] for means and in counts² for counts. The bounds are proved in test/proofs from the committed multipliers.
 */

import { countLaw, meanLaw } from '@murmuration/shared';
import { scoresOf } from '#collector/estimation/mechanisms/table.ts';
import type { Part } from '../../kit/part.ts';
import { boundOf, rows, worstOf } from '../../proofs/number-bound.ts';

const MOST_OVER_BOUND = 1.04;

/** Every committed bound, and the law beside it. */
export function numbers(): Part {
  const cells = rows.map((row) => {
    const { max, epsilon } = row;
    const law = max === null ? meanLaw(epsilon) : countLaw(max, epsilon);
    // From [-1, 1] to counts.
    const unit = max === null ? 1 : max ** 2 / 4;
    const [variance, bound] = [unit * worstOf(row, scoresOf(law)), unit * boundOf(row)];
    return { max, epsilon, grid: law.grid, window: law.window, variance, bound, overBound: variance / bound };
  });
  return {
    title: `means and counts: worst-case variance of one report, the bound over all mechanisms, at most ${MOST_OVER_BOUND} of it`,
    failures: cells.flatMap(({ max, epsilon, overBound }) =>
      overBound <= MOST_OVER_BOUND
        ? []
        : [
            `${max === null ? 'mean' : `count up to ${max}`} at ε = ${epsilon}: expected at most ${MOST_OVER_BOUND} of the bound, got ${overBound}`,
          ],
    ),
    rows: [
      ['question', 'ε', 'law (g, L)', 'variance', 'bound', 'over bound'],
      ...cells.map(({ max, epsilon, grid, window, variance, bound, overBound }) => [
        max === null ? 'mean' : `count up to ${max}`,
        String(epsilon),
        `${grid}, ${window}`,
        String(Number(variance.toPrecision(4))),
        String(Number(bound.toPrecision(4))),
        overBound.toFixed(4),
      ]),
    ],
    result: cells,
  };
}
