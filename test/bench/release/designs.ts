/** Which design ranges over days get, and what the others would cost: trees under ε, and the factorization under ρ. */

import { factoredVariances, leastMeanVariance } from '#collector/release/mechanisms/factorization.ts';
import { gaussian } from '#collector/release/mechanisms/gaussian.ts';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { bestDesign, meanRangeVariance, type RangeDesign, ranges } from '#collector/release/mechanisms/ranges.ts';
import { decimal } from '../../collector/release/mechanisms/decimal.ts';

const DAYS = [7, 14, 30, 60, 90, 180, 365, 730, 1825] as const;
const EPSILON = decimal(1, 'ε');

const nameOf = ({ branches, levels }: RangeDesign): string => (levels === 1 ? 'histogram' : `${levels} levels of ${branches}`);
const varianceOf = (levels: number): number => geometric({ epsilon: EPSILON, sensitivity: levels }).variance;

/** A row for each number of days: root of the mean variance of all ranges. */
export function designs(): readonly (readonly string[])[] {
  const rows = DAYS.map((days) => {
    const error = (design: RangeDesign): string => Math.sqrt(meanRangeVariance(design) * varianceOf(design.levels)).toFixed(1);
    const best = bestDesign(days, varianceOf);
    const binary = Math.ceil(Math.log2(days)) + 1;
    return [
      `${days} days, ε 1`,
      nameOf(best),
      error(best),
      error({ days, branches: 2, levels: 1 }),
      error({ days, branches: 2, levels: binary }),
    ];
  });
  return [['ranges over', 'chosen', 'its error', 'histogram', 'binary tree'], ...rows];
}

/** The factorization, the best tree with Gaussian noise, and the tree with geometric noise of the same ρ; and the least of any. */
export function factorizations(): { readonly rows: readonly (readonly string[])[]; readonly failures: readonly string[] } {
  const failures: string[] = [];
  const rows = DAYS.map((days) => {
    const tree = ranges({ days, epsilon: EPSILON, sensitivity: 1 });
    const { rho } = tree;
    const { variance } = gaussian({ rho, squaredSensitivity: 2n ** 40n });
    const unit = variance / 2 ** 40;
    const [factored, least] = [factoredVariances(days).mean, leastMeanVariance(days)];
    const best = bestDesign(days, (levels) => levels);
    const gaussianTree = meanRangeVariance(best) * best.levels;
    const geometricTree = meanRangeVariance(tree.design) * tree.variance;
    if (factored > 1.024 * least)
      failures.push(`days under ρ: expected at most 2.4 % above the least variance, got ${factored / least} (${days} days)`);
    return [
      `${days} days, ρ ${(Number(rho.numerator) / Number(rho.denominator)).toFixed(3)}`,
      Math.sqrt(unit * factored).toFixed(2),
      Math.sqrt(unit * least).toFixed(2),
      Math.sqrt(unit * gaussianTree).toFixed(2),
      Math.sqrt(geometricTree).toFixed(2),
      (geometricTree / (unit * factored)).toFixed(1),
    ];
  });
  const head = ['ranges over', 'factorization', 'the least of any', 'tree, Gaussian', 'tree, geometric, same ρ', 'its variance over ours'];
  return { rows: [head, ...rows], failures };
}
