// What a metric's estimates rest on: how many reports, of which days, for whom the question is asked.
// It also says where a filter does not reach.

import type { VNode } from 'preact';
import type { Span } from './filter.ts';
import { count, dayRange, reportCount } from './format.ts';
import type { Estimates, Metric } from './types.ts';

interface EvidenceProps {
  readonly metric: Metric;
  readonly estimates: Estimates | null;
  /** Segments that are filtered by and that this metric does not have. */
  readonly missing: readonly string[];
  /** First and last day of all metrics; only other days are worth saying again. */
  readonly span: Span | null;
}

export function Evidence({ metric, estimates, missing, span }: EvidenceProps): VNode {
  const used = estimates?.reports ?? metric.reports;
  const { from, to } = estimates ?? metric;
  const ownDays = from !== span?.from || to !== span?.to;
  return (
    <p class="evidence">
      {used < metric.reports ? `${count(used)} of ${reportCount(metric.reports)}` : reportCount(used)}
      {from && to && ownDays && <span> · {dayRange(from, to)}</span>}
      {metric.owner && <span> · asked by {metric.owner}</span>}
      {missing.map((name) => (
        <span key={name} class="evidence-note">
          Not split by {name}.
        </span>
      ))}
    </p>
  );
}
