/** The cost of asking every device everything: each ε scaled so that all charges fit the budget together. */

import { chargesOf, type SchemaDocument, sumOf } from '@murmuration/shared';
import { lawsAt } from './law-at.ts';
import type { MetricPlan } from './plan.ts';
import { marginAt } from './precision.ts';

/** Splitting ε, as the alternative to splitting devices. */
export interface Splitting {
  /** The factor for each ε. */
  readonly scale: number;
  /** The factors by which margins would be wider: the least and the greatest over all metrics that have a law at the smaller ε. */
  readonly wider: readonly [least: number, most: number];
}

/** Undefined when everything fits without scaling. Permanent metrics are left out, because they have two ε. */
export function splittingOf(
  { metrics, budget, devices }: SchemaDocument,
  plans: readonly MetricPlan[],
  reports: number,
  share: number,
): Splitting | undefined {
  const scale = budget.epsilon / sumOf(chargesOf(metrics, budget.per).map(({ charge }) => charge));
  const ratios = plans.flatMap(({ metric, margin95, epsilon, permanent }) => {
    const document = metrics[metric];
    const law = document && !permanent && lawsAt(document, devices)(epsilon * scale);
    return law ? [marginAt(law, reports, share) / margin95] : [];
  });
  return scale < 1 && ratios.length > 0 ? { scale, wider: [Math.min(...ratios), Math.max(...ratios)] } : undefined;
}
