// The page of one question.

import type { VNode } from 'preact';
import type { Metric, Sign } from '../../api/shown.ts';
import type { Filter, Span } from '../filter.ts';
import { MetricCard } from '../metric-card.tsx';

export interface QuestionPageProps {
  readonly metric: Metric;
  /** Of this metric. */
  readonly signs: readonly Sign[];
  readonly filter: Filter;
  /** First and last day with reports of any metric. */
  readonly span: Span | null;
}

export function QuestionPage(props: QuestionPageProps): VNode {
  return (
    <section class="app">
      <h2>{props.metric.app}</h2>
      <MetricCard {...props} />
    </section>
  );
}
