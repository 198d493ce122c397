// The amount of data: reports in all, metrics, days.
// The filters do not change it, because it describes everything in the collector.

import type { VNode } from 'preact';
import type { Metric } from '../api/shown.ts';
import { spanOf } from './filter.ts';
import { count, dayRange, daysBetween } from './format.ts';

export function Summary({ metrics }: { metrics: readonly Metric[] }): VNode {
  const reports = metrics.reduce((sum, metric) => sum + metric.reports, 0);
  const apps = new Set(metrics.map((metric) => metric.app)).size;
  const span = spanOf(metrics);
  return (
    <dl class="summary" aria-label="What the collector holds">
      <Figure name={reports === 1 ? 'report' : 'reports'} value={count(reports)} />
      <Figure name={metrics.length === 1 ? 'metric' : 'metrics'} value={count(metrics.length)} note={apps > 1 ? `in ${apps} apps` : ''} />
      {span && (
        <Figure
          name={span.from === span.to ? 'day' : 'days'}
          value={count(daysBetween(span.from, span.to))}
          note={dayRange(span.from, span.to)}
        />
      )}
    </dl>
  );
}

function Figure({ name, value, note = '' }: { name: string; value: string; note?: string }): VNode {
  return (
    <div class="figure">
      <dt>
        {name}
        {note && <span class="figure-note">{note}</span>}
      </dt>
      <dd>{value}</dd>
    </div>
  );
}
