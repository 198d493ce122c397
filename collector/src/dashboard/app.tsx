// The page as a whole: header, search, and the overview, one question or the plan.
// The page's address says which, and holds the filter and what was looked for, so that a link shows the same.

import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Metric, Sign } from '../api/shown.ts';
import { goTo, questionPath, useAddress } from './address.ts';
import { availablePart, type Filter, filterFromQuery, goneFrom, spanOf, withFilter } from './filter.ts';
import { Header } from './header.tsx';
import { useLater } from './later.ts';
import { useMetrics } from './live.ts';
import { type Finding, findingFromQuery, knownPart, withFinding } from './overview/find.ts';
import { Overview } from './overview/overview.tsx';
import { Search } from './overview/search.tsx';
import { SignIn } from './sign-in.tsx';
import { useSigns } from './signs.tsx';
import { Failed, Gone, Loading, NoQuestion } from './states.tsx';

/** Milliseconds after the last letter until the address has the words: browsers bound how often it may change. */
const TYPED = 250;

/**
 * The words that are looked for: those that are typed, until the address has them. Every change of the address ends what is typed, at once
 * and not by an effect: a timer that fired between a click and its effects would bring the words back.
 */
function useWords(isOverview: boolean, query: string): readonly [string, (words: string) => void] {
  const [typed, setTyped] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useLayoutEffect(() => {
    const end = (): void => {
      clearTimeout(timer.current);
      setTyped(null);
    };
    addEventListener('popstate', end);
    return () => removeEventListener('popstate', end);
  }, []);
  const type = (words: string): void => {
    setTyped(words);
    clearTimeout(timer.current);
    if (isOverview)
      timer.current = setTimeout(() => goTo(location.pathname + withFinding(location.search, { q: words }), 'replace'), TYPED);
  };
  return [typed ?? (isOverview ? findingFromQuery(query).q : ''), type];
}

/** Opens the first question that is found; from another page, shows all that are. */
function openFound(isOverview: boolean, words: string, filter: Filter): void {
  if (isOverview) document.querySelector<HTMLAnchorElement>('.ask-question')?.click();
  else goTo(`./${withFinding(withFilter('', filter), { q: words })}`);
}

export function App(): VNode {
  const state = useMetrics();
  const { question, isPlan, query } = useAddress();
  const filter = useMemo(() => filterFromQuery(query), [query]);
  const pages = { question: useLater('question', question !== null, true), plan: useLater('plan', isPlan) };
  const isOverview = question === null && !isPlan;
  const place = isPlan ? 'the plan' : question;
  const [words, setWords] = useWords(isOverview, query);
  const main = useRef<HTMLElement>(null);
  const before = useRef(place);
  useLayoutEffect(() => {
    if (before.current !== place) main.current?.focus({ preventScroll: true }); // as when a page is loaded
    before.current = place;
  }, [place]);

  return (
    <div class={isOverview ? 'frame frame-wide' : 'frame'}>
      <Header state={state} among={filter.among}>
        {state.metrics && <Search words={words} onWords={setWords} onDone={() => openFound(isOverview, words, filter)} />}
      </Header>
      <main ref={main} tabIndex={-1}>
        {state.connection === 'signed-out' ? (
          <SignIn />
        ) : state.metrics ? (
          <Place metrics={state.metrics} {...{ question, isPlan, query, words, pages }} asked={filter} />
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
  readonly isPlan: boolean;
  readonly query: string;
  /** The filter of the address. */
  readonly asked: Filter;
  readonly words: string;
  readonly pages: { readonly question: QuestionProps['page']; readonly plan: ReturnType<typeof useLater<'plan'>> };
}

/** The overview, a question or the plan. */
function Place({ metrics, question, isPlan, query, asked, words, pages }: PlaceProps): VNode {
  const signs = useSigns(metrics);
  const filter = useMemo(() => availablePart(asked, metrics), [asked, metrics]);
  const { finding, gone } = knownPart({ ...findingFromQuery(question === null ? query : ''), q: words }, metrics);
  // With the words that the address does not have yet.
  const find = (next: Partial<Finding>): void => goTo(location.pathname + withFinding(query, { q: words, ...next }));
  const choose = (next: Filter): void =>
    goTo(location.pathname + withFilter(question === null ? withFinding(query, { q: words }) : query, next));
  if (isPlan)
    return (
      <>
        <WayBack filter={filter} />
        <Arriving page={pages.plan}>{(PlanPage) => <PlanPage metrics={metrics} query={query} />}</Arriving>
      </>
    );
  return (
    <>
      <Gone parts={[...goneFrom(asked, metrics), ...gone]} />
      {question === null ? (
        <Overview {...{ metrics, signs, filter, finding }} onFilter={choose} onFind={find} />
      ) : (
        <Question {...{ metrics, question, query, filter }} page={pages.question} signs={signs ?? []} onFilter={choose} />
      )}
    </>
  );
}

interface QuestionProps {
  readonly metrics: readonly Metric[];
  readonly signs: readonly Sign[];
  readonly question: string;
  readonly query: string;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly page: ReturnType<typeof useLater<'question'>>;
}

/** The question of an address, as far as there is one. */
function Question({ metrics, question, query, signs, filter, onFilter, page }: QuestionProps): VNode {
  const app = new URLSearchParams(query).get('app');
  const named = metrics.filter((metric) => metric.metric === question);
  const found = named.filter((metric) => app === null || metric.app === app);
  const [metric] = found.length === 1 ? found : [];
  return (
    <>
      <WayBack filter={filter} />
      {metric ? (
        <Arriving page={page}>
          {(QuestionPage) => (
            <QuestionPage
              key={`${metric.app}/${metric.metric}`}
              metric={metric}
              signs={signs.filter((sign) => sign.app === metric.app && sign.metric === metric.metric)}
              filter={filter}
              onFilter={onFilter}
              span={spanOf(metrics)}
              query={query}
            />
          )}
        </Arriving>
      ) : (
        <NoQuestion name={question} app={found.length > 1 ? null : app} others={named} pathOf={(each) => questionPath(each, filter)} />
      )}
    </>
  );
}

const WayBack = ({ filter }: { filter: Filter }): VNode => (
  <p class="way-back">
    <a href={`./${withFilter('', filter)}`}>All questions</a>
  </p>
);

/** A page that is a file of its own, when it is there. */
function Arriving<P>({ page, children }: { page: P | 'failed' | null; children: (page: P) => VNode }): VNode {
  if (page === null) return <Loading />;
  if (page === 'failed') return <Failed title="This page has changed" problem="Reload it to see the rest." />;
  return children(page);
}
