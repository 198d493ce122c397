// The page as a whole: header, summary, filters, and the metrics of each app.
// The filter is kept here and in the page's address, so that it survives a reload.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Metric } from '../api/shown.ts';
import { useMetrics } from './api.ts';
import { availablePart, type Filter, filterFromQuery, filterToQuery, spanOf } from './filter.ts';
import { Filters } from './filters.tsx';
import { count, dayRange, daysBetween } from './format.ts';
import { Header } from './header.tsx';
import { MetricCard } from './metric-card.tsx';
import { SignIn } from './sign-in.tsx';
import { SignsLine, useSigns } from './signs.tsx';
import { Failed, Loading, NoMetrics, NoReports } from './states.tsx';

// The amount of data: reports in all, metrics, days.
// The filters do not change it, because it describes everything in the collector.

function Summary({ metrics }: { metrics: readonly Metric[] }): VNode {
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

export function App(): VNode {
  const state = useMetrics();
  const [filter, setFilter] = useState(() => filterFromQuery(location.search));
  const choose = (next: Filter) => {
    setFilter(next);
    history.replaceState(null, '', location.pathname + filterToQuery(next) + location.hash);
  };

  return (
    <div class="frame">
      <Header state={state} among={filter.among} />
      <main>
        {state.connection === 'signed-out' ? (
          <SignIn />
        ) : state.metrics ? (
          <Metrics metrics={state.metrics} filter={availablePart(filter, state.metrics)} onFilter={choose} />
        ) : state.problem ? (
          <Failed title="No metrics" problem={state.problem} />
        ) : (
          <Loading />
        )}
      </main>
    </div>
  );
}

function Metrics({ metrics, filter, onFilter }: { metrics: readonly Metric[]; filter: Filter; onFilter: (filter: Filter) => void }): VNode {
  const signs = useSigns(metrics);
  if (metrics.length === 0) return <NoMetrics />;
  const span = spanOf(metrics);
  const apps = [...new Set(metrics.map((metric) => metric.app))];
  return (
    <>
      <Summary metrics={metrics} />
      <SignsLine signs={signs} />
      {span ? <Filters metrics={metrics} filter={filter} onFilter={onFilter} /> : <NoReports app={metrics[0]?.app ?? ''} />}
      {apps.map((app, index) => (
        <section key={app} class="app" aria-labelledby={`app-${index}`}>
          <h2 id={`app-${index}`}>{app}</h2>
          {metrics
            .filter((metric) => metric.app === app)
            .map((metric) => (
              <MetricCard
                key={`${metric.metric}/${metric.version}`}
                metric={metric}
                signs={signs.filter((sign) => sign.app === app && sign.metric === metric.metric)}
                filter={filter}
                span={span}
              />
            ))}
        </section>
      ))}
    </>
  );
}
