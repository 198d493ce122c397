// The page as a whole: header, summary, filters, and the metrics of each app; or one question.
// The page's address says which, and holds the filter, so that a link shows the same.

import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Metric, Sign } from '../api/shown.ts';
import { goTo, questionPath, useAddress } from './address.ts';
import { useMetrics } from './api.ts';
import { availablePart, type Filter, filterFromQuery, spanOf, withFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { count, dayRange, daysBetween } from './format.ts';
import { Header } from './header.tsx';
import { QuestionPage } from './question/page.tsx';
import { SignIn } from './sign-in.tsx';
import { SignsLine, useSigns } from './signs.tsx';
import { Failed, Loading, NoMetrics, NoQuestion, NoReports } from './states.tsx';

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
  const { question, query } = useAddress();
  const filter = filterFromQuery(query);
  const main = useRef<HTMLElement>(null);
  const before = useRef(question);
  useEffect(() => {
    if (before.current !== question) main.current?.focus({ preventScroll: true }); // as when a page is loaded
    before.current = question;
  }, [question]);

  return (
    <div class="frame">
      <Header state={state} among={filter.among} />
      <main ref={main} tabIndex={-1}>
        {state.connection === 'signed-out' ? (
          <SignIn />
        ) : state.metrics ? (
          <Place metrics={state.metrics} question={question} query={query} filter={availablePart(filter, state.metrics)} />
        ) : state.problem ? (
          <Failed title="No metrics" problem={state.problem} />
        ) : (
          <Loading />
        )}
      </main>
    </div>
  );
}

interface PlaceProps {
  readonly metrics: readonly Metric[];
  readonly question: string | null;
  readonly query: string;
  readonly filter: Filter;
}

/** The overview or a question. */
function Place({ metrics, question, query, filter }: PlaceProps): VNode {
  const signs = useSigns(metrics);
  const choose = (next: Filter): void => goTo(location.pathname + withFilter(query, next));
  if (question !== null) return <Question {...{ metrics, question, query, filter, signs }} onFilter={choose} />;
  return metrics.length === 0 ? <NoMetrics /> : <Metrics {...{ metrics, filter, signs }} onFilter={choose} />;
}

interface SeenProps {
  readonly metrics: readonly Metric[];
  readonly signs: readonly Sign[];
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

/** The question of an address, as far as there is one. */
function Question({ metrics, question, query, signs, filter, onFilter }: SeenProps & { question: string; query: string }): VNode {
  const app = new URLSearchParams(query).get('app');
  const named = metrics.filter((metric) => metric.metric === question);
  const found = named.filter((metric) => app === null || metric.app === app);
  const [metric] = found.length === 1 ? found : [];
  useTitle(metric ? metric.description || metric.metric : 'No such question');
  return (
    <>
      <p class="way-back">
        <a href={`./${withFilter('', filter)}`}>All questions</a>
      </p>
      {metric ? (
        <QuestionPage
          key={`${metric.app}/${metric.metric}`}
          metric={metric}
          signs={signs.filter((sign) => sign.app === metric.app && sign.metric === metric.metric)}
          filter={filter}
          onFilter={onFilter}
          span={spanOf(metrics)}
          query={query}
        />
      ) : (
        <NoQuestion name={question} app={found.length > 1 ? null : app} others={named} pathOf={(each) => questionPath(each, filter)} />
      )}
    </>
  );
}

/** Names the tab. */
function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Murmuration' : `${title} · Murmuration`;
  }, [title]);
}

function Metrics({ metrics, signs, filter, onFilter }: SeenProps): VNode {
  useTitle('');
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
          <ul class="questions">
            {metrics
              .filter((metric) => metric.app === app)
              .map((metric) => (
                <li key={metric.metric}>
                  <a href={questionPath(metric, filter)}>{metric.description || metric.metric}</a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}
