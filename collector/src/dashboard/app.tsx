// The page as a whole: header, search, and the overview or one question.
// The page's address says which, and holds the filter and what was looked for, so that a link shows the same.

import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Metric, Sign } from '../api/shown.ts';
import { goTo, questionPath, useAddress } from './address.ts';
import { availablePart, type Filter, filterFromQuery, goneFrom, spanOf, withFilter } from './filter.ts';
import { Header } from './header.tsx';
import { useMetrics } from './live.ts';
import { type Finding, findingFromQuery, knownPart, withFinding } from './overview/find.ts';
import { Overview } from './overview/overview.tsx';
import { Search } from './overview/search.tsx';
import { useQuestionPage } from './question/lazy.ts';
import { SignIn } from './sign-in.tsx';
import { useSigns } from './signs.tsx';
import { Failed, Gone, Loading, NoQuestion } from './states.tsx';

/** Milliseconds after the last letter until the address has the words: browsers bound how often it may change. */
const TYPED = 250;

/** The words that are looked for, at once, and in the address when they are typed. */
function useWords(question: string | null, query: string): readonly [string, (words: string) => void] {
  const inAddress = question === null ? findingFromQuery(query).q : '';
  const [words, setWords] = useState(inAddress);
  const sent = useRef(inAddress);
  useEffect(() => {
    if (inAddress === sent.current) return;
    sent.current = inAddress; // another address, as after Back
    setWords(inAddress);
  }, [inAddress]);
  useEffect(() => {
    if (question !== null || words === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = words;
      goTo(location.pathname + withFinding(location.search, { q: words }), 'replace');
    }, TYPED);
    return () => clearTimeout(timer);
  }, [words, question]);
  return [words, setWords];
}

/** Opens the first question that is found; from another question, shows all that are. */
function openFound(question: string | null, words: string, filter: Filter): void {
  if (question === null) document.querySelector<HTMLAnchorElement>('.ask-question')?.click();
  else goTo(`./${withFinding(withFilter('', filter), { q: words })}`);
}

export function App(): VNode {
  const state = useMetrics();
  const { question, query } = useAddress();
  const filter = useMemo(() => filterFromQuery(query), [query]);
  const [words, setWords] = useWords(question, query);
  const questionPage = useQuestionPage(question !== null);
  const main = useRef<HTMLElement>(null);
  const before = useRef(question);
  useEffect(() => {
    if (before.current !== question) main.current?.focus({ preventScroll: true }); // as when a page is loaded
    before.current = question;
  }, [question]);

  return (
    <div class={question === null ? 'frame frame-wide' : 'frame'}>
      <Header state={state} among={filter.among}>
        {state.metrics && <Search words={words} onWords={setWords} onDone={() => openFound(question, words, filter)} />}
      </Header>
      <main ref={main} tabIndex={-1}>
        {state.connection === 'signed-out' ? (
          <SignIn />
        ) : state.metrics ? (
          <Place metrics={state.metrics} {...{ question, query, words, questionPage }} asked={filter} onWords={setWords} />
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
  /** The filter of the address. */
  readonly asked: Filter;
  readonly words: string;
  readonly onWords: (words: string) => void;
  readonly questionPage: ReturnType<typeof useQuestionPage>;
}

/** The overview or a question. */
function Place({ metrics, question, query, asked, words, onWords, questionPage }: PlaceProps): VNode {
  const signs = useSigns(metrics);
  const filter = useMemo(() => availablePart(asked, metrics), [asked, metrics]);
  const { finding, gone } = knownPart({ ...findingFromQuery(question === null ? query : ''), q: words }, metrics);
  const choose = (next: Filter): void => goTo(location.pathname + withFilter(query, next));
  const find = (next: Partial<Finding>): void => {
    if (next.q !== undefined) onWords(next.q);
    goTo(location.pathname + withFinding(query, next));
  };
  return (
    <>
      <Gone parts={[...goneFrom(asked, metrics), ...gone]} />
      {question === null ? (
        <Overview {...{ metrics, signs, filter, finding }} onFilter={choose} onFind={find} />
      ) : (
        <Question {...{ metrics, question, query, filter, questionPage }} signs={signs ?? []} onFilter={choose} />
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
  readonly questionPage: ReturnType<typeof useQuestionPage>;
}

/** The question of an address, as far as there is one. */
function Question({ metrics, question, query, signs, filter, onFilter, questionPage: QuestionPage }: QuestionProps): VNode {
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
      {!metric ? (
        <NoQuestion name={question} app={found.length > 1 ? null : app} others={named} pathOf={(each) => questionPath(each, filter)} />
      ) : QuestionPage === null ? (
        <Loading />
      ) : QuestionPage === 'failed' ? (
        <Failed title="This page has changed" problem="Reload it to see the question." />
      ) : (
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
    </>
  );
}

/** Names the tab. */
function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Murmuration`;
    return () => {
      document.title = 'Murmuration';
    };
  }, [title]);
}
