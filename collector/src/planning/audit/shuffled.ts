/** The second ε: what a schema's reports spend if nobody knows who sent them, and enough devices answered (docs/shuffle.md). */

import { amplification, composedEpsilon, type MetricDocument, type SchemaDocument, timesIn } from '@murmuration/shared';
import type { Spending } from './spending.ts';

/** A metric's two figures. */
interface ShuffledMetric {
  readonly metric: string;
  /** ε of one report, whoever knows its sender. */
  readonly local: string;
  /** ε of one report among those of its group, from above; absent for a permanent metric, which has ε∞ only. */
  readonly shuffled?: number;
  /** No proof can give less, where that is known. */
  readonly least?: number;
}

export interface Shuffled {
  /** The honest devices of each group: reports on one question with the same version, day and segments. */
  readonly together: number;
  readonly delta: number;
  readonly metrics: readonly ShuffledMetric[];
  /** ε of everything that a device sends in any 30 days, and in any 365, ε∞ of permanent metrics included; of one version only. */
  readonly days?: { readonly month: number; readonly year: number };
}

/** The figures of a schema whose reports leave alone, each for the same δ. Of several in a batch only the batch hides. */
export function shuffledOf(document: SchemaDocument, spending: Spending, together: number, delta: number): Shuffled {
  const all = spending.metrics.map((spent) => {
    const metric = document.metrics[spent.metric] as MetricDocument;
    return { spent, metric, group: metric.permanent ? undefined : amplification(metric.law, together) };
  });
  const over = (days: number, local: 'month' | 'year'): number => {
    const parts = all.flatMap(({ metric, group }) =>
      group === undefined ? [] : [{ amplification: group, times: timesIn(metric, days, document.budget.per) }],
    );
    const permanent = all.reduce((sum, { spent, group }) => sum + (group === undefined ? Number(spent[local]) : 0), 0);
    return (parts.length === 0 ? 0 : composedEpsilon(parts, delta)) + permanent;
  };
  return {
    together,
    delta,
    metrics: all.map(({ spent, group }) => {
      const least = group?.leastEpsilon?.(delta);
      return {
        metric: spent.metric,
        local: spent.report.epsilon,
        ...(group && { shuffled: group.epsilon(delta) }),
        ...(least !== undefined && { least }),
      };
    }),
    ...(spending.versions.length === 0 && { days: { month: over(30, 'month'), year: over(365, 'year') } }),
  };
}
