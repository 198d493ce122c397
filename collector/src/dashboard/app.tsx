// The page as a whole: header, summary, filters, and the metrics of each app.
// The filter is kept here and in the page's address, so that it survives a reload.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Metric } from '../api/shown.ts';
import { availablePart, type Filter, filterFromQuery, filterToQuery, spanOf } from './filter.ts';
import { Filters } from './filters.tsx';
import { Header } from './header.tsx';
import { MetricCard } from './metric-card.tsx';
import { SignIn } from './sign-in.tsx';
import { Failed, Loading, NoMetrics, NoReports } from './states.tsx';
import { Summary } from './summary.tsx';
import { useMetrics } from './use-metrics.ts';

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
  if (metrics.length === 0) return <NoMetrics />;
  const span = spanOf(metrics);
  const apps = [...new Set(metrics.map((metric) => metric.app))];
  return (
    <>
      <Summary metrics={metrics} />
      {span ? <Filters metrics={metrics} filter={filter} onFilter={onFilter} /> : <NoReports app={metrics[0]?.app ?? ''} />}
      {apps.map((app, index) => (
        <section key={app} class="app" aria-labelledby={`app-${index}`}>
          <h2 id={`app-${index}`}>{app}</h2>
          {metrics
            .filter((metric) => metric.app === app)
            .map((metric) => (
              <MetricCard key={`${metric.metric}/${metric.version}`} metric={metric} filter={filter} span={span} />
            ))}
        </section>
      ))}
    </>
  );
}
