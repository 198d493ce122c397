// The overview: what needs a look, then one row for each question that is looked for.

import type { RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Metric, Sign } from '../../api/shown.ts';
import type { Filter } from '../filter.ts';
import { spanOf } from '../filter.ts';
import { Filters, Menu } from '../filters.tsx';
import { count, dayRange, reportCount } from '../format.ts';
import { NoMetrics, NoReports } from '../states.tsx';
import { type Finding, foundIn, keyOf, ownersOf, STATES, signsByMetric, TYPES } from './find.ts';
import { Looks } from './looks.tsx';
import { useNear } from './near.ts';
import { Row } from './row.tsx';

const NO_SIGNS: readonly Sign[] = [];

interface OverviewProps {
  readonly metrics: readonly Metric[];
  /** Null until they come. */
  readonly signs: readonly Sign[] | null;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly finding: Finding;
  readonly onFind: (finding: Partial<Finding>) => void;
}

const ANCHORS = CSS.supports('overflow-anchor', 'auto');

/** Keeps what is read where it is when something comes above it. Safari does not do that on its own. */
function useAnchor(element: RefObject<HTMLElement | null>): void {
  const before = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (ANCHORS || element.current === null) return;
    const top = element.current.getBoundingClientRect().top + scrollY;
    if (before.current !== null && scrollY > 0) scrollBy(0, top - before.current);
    before.current = top;
  });
}

export function Overview({ metrics, signs, filter, onFilter, finding, onFind }: OverviewProps): VNode {
  const span = useMemo(() => spanOf(metrics), [metrics]);
  const byMetric = useMemo(() => signsByMetric(signs ?? NO_SIGNS), [signs]);
  const questions = useRef<HTMLElement>(null);
  useAnchor(questions);
  if (metrics.length === 0) return <NoMetrics />;
  const found = foundIn(metrics, finding, byMetric);
  const apps = [...new Set(metrics.map(({ app }) => app))];
  return (
    <>
      {span ? <Looks metrics={metrics} signs={signs} filter={filter} /> : <NoReports app={metrics[0]?.app ?? ''} />}
      <section ref={questions} class="asks-all" aria-labelledby="questions">
        <div class="asks-head">
          <h2 id="questions">Questions</h2>
          <Holds metrics={metrics} found={found.length} apps={apps.length} />
          {span && <Which metrics={metrics} filter={filter} onFilter={onFilter} />}
          <Narrowing metrics={metrics} finding={finding} onFind={onFind} />
        </div>
        {found.length === 0 && (
          <p class="quiet">
            No question has all of this.{' '}
            <button type="button" class="quiet-button" onClick={() => onFind({ q: '', type: '', state: '', owner: '' })}>
              Show all {count(metrics.length)}
            </button>
          </p>
        )}
        {apps.flatMap((app) => {
          const own = found.filter((metric) => metric.app === app);
          if (own.length === 0) return [];
          const title = apps.length > 1 ? app : null;
          return <Rows key={app} metrics={own} signs={byMetric} lastDay={span?.to ?? null} {...{ title, filter }} />;
        })}
      </section>
    </>
  );
}

interface RowsProps {
  readonly title: string | null;
  readonly metrics: readonly Metric[];
  readonly signs: ReturnType<typeof signsByMetric>;
  readonly filter: Filter;
  readonly lastDay: string | null;
}

/** Rows that are made together: as many as fit in one task, and whole lines of a grid of two, three or four columns. */
const SLICE = 12;

/** The height of a row that is not made yet, in pixels; that of `.ask`. */
const HEIGHT = 84;

/** Some rows, made when their place is near the screen. Before that it is empty, so that a thousand questions are no longer to show than ten. */
function Slice({
  start,
  all,
  metrics,
  signs,
  filter,
  lastDay,
}: Omit<RowsProps, 'title'> & { readonly start: number; readonly all: number }): VNode {
  const place = useRef<HTMLLIElement>(null);
  const isNear = useNear(place);
  const [isMade, setMade] = useState(start === 0);
  useEffect(() => {
    if (isNear) setMade(true);
  }, [isNear]);
  if (!isMade) return <li ref={place} class="asks-rest" style={{ height: `${metrics.length * HEIGHT}px` }} aria-hidden="true" />;
  return (
    <>
      {metrics.map((metric, i) => (
        <Row
          key={keyOf(metric)}
          signs={signs.get(keyOf(metric)) ?? NO_SIGNS}
          place={start + i + 1}
          of={all}
          {...{ metric, filter, lastDay }}
        />
      ))}
    </>
  );
}

function Rows({ title, metrics, signs, filter, lastDay }: RowsProps): VNode {
  const starts = Array.from({ length: Math.ceil(metrics.length / SLICE) }, (_, i) => i * SLICE);
  return (
    <>
      {title && <h3 class="asks-app">{title}</h3>}
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari forgets that a list without markers is a list */}
      <ul role="list" class="asks" aria-label={title ? `Questions of ${title}` : 'Questions'}>
        {starts.map((start) => (
          <Slice key={start} all={metrics.length} metrics={metrics.slice(start, start + SLICE)} {...{ start, signs, filter, lastDay }} />
        ))}
      </ul>
    </>
  );
}

/** How much there is: questions, reports, days. The filters do not change it. */
function Holds({ metrics, found, apps }: { metrics: readonly Metric[]; found: number; apps: number }): VNode {
  const span = spanOf(metrics);
  const reports = metrics.reduce((sum, metric) => sum + metric.reports, 0);
  return (
    <p class="holds">
      <span role="status">
        {found < metrics.length ? `${count(found)} of ${count(metrics.length)}` : count(metrics.length)}
        {apps > 1 && ` in ${apps} apps`}
      </span>
      <span class="holds-reports">{reportCount(reports)}</span>
      {span && <span>{dayRange(span.from, span.to)}</span>}
    </p>
  );
}

/** The filters of reports, folded under what is chosen. They are open where a link has chosen something. */
function Which({ metrics, filter, onFilter }: Pick<OverviewProps, 'metrics' | 'filter' | 'onFilter'>): VNode {
  const { segments, days, from, to } = filter;
  const chosen = [
    ...Object.entries(segments).map(([name, value]) => `${name} ${value}`),
    ...(days === null ? [] : [`last ${days} days`]),
    ...(from === undefined ? [] : [`from ${dayRange(from, from)}`]),
    ...(to === undefined ? [] : [`to ${dayRange(to, to)}`]),
  ];
  const [isOpen] = useState(chosen.length > 0);
  return (
    <details class="which" open={isOpen}>
      <summary>Reports: {chosen.length > 0 ? chosen.join(', ') : 'all'}</summary>
      <Filters metrics={metrics} filter={filter} onFilter={onFilter} />
    </details>
  );
}

/** Menus for the types, states and owners that there are. */
function Narrowing({ metrics, finding, onFind }: { metrics: readonly Metric[]; finding: Finding; onFind: OverviewProps['onFind'] }): VNode {
  const types = [...new Set(metrics.map(({ type }) => type))].map((type) => ({ value: type as string, label: TYPES[type] }));
  const states = Object.entries(STATES).map(([value, label]) => ({ value, label: label as string }));
  const owners = ownersOf(metrics).map((owner) => ({ value: owner, label: owner }));
  const menus = { type: types, state: states, owner: owners };
  return (
    <div class="narrowing">
      {(['type', 'state', 'owner'] as const).map(
        (part) =>
          menus[part].length > (part === 'owner' ? 0 : 1) && (
            <Menu
              key={part}
              name={part}
              value={finding[part]}
              options={[{ value: '', label: 'all' }, ...menus[part]]}
              onChoose={(value) => onFind({ [part]: value })}
            />
          ),
      )}
    </div>
  );
}
