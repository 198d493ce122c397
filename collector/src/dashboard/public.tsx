// The page of a question that is published, for people without a token; and the same in small, for frames of other sites. It shows one answer of
// the collector, which holds nothing that the page may not show.

import { render, type VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Estimates, Metric, PublicQuestion, Series } from '../api/shown.ts';
import { fetchPublic, problemInWords, publicAddress, refusalOf } from './api.ts';
import { AnswerTable, Details, Evidence, Folded } from './card-parts.tsx';
import { dayRange } from './format.ts';
import { estimatesInWords, Masthead } from './header.tsx';
import { Sentence, Shares, usualPicture } from './question/page.tsx';
import { SeriesTable } from './question/reading.tsx';
import { answerRows, seriesRows } from './question/takeaway.ts';
import { Tools } from './question/tools.tsx';
import { Trend } from './question/trend.tsx';
import { Failed, Loading } from './states.tsx';

interface Address extends Pick<Metric, 'app' | 'metric'> {
  readonly place: string;
}

/** The question that the page's address names. */
function addressed(): Address {
  const path = location.pathname.slice(new URL(document.baseURI).pathname.length);
  const [place = '', app = '', metric = ''] = path.split('/');
  return { place, app, metric };
}

interface State {
  readonly question: PublicQuestion | null;
  readonly problem: unknown;
}

function useQuestion(of: Address): State {
  const [state, setState] = useState<State>({ question: null, problem: null });
  useEffect(() => {
    const control = new AbortController();
    fetchPublic(of, control.signal).then(
      (question) => setState({ question, problem: null }),
      (problem: unknown) => control.signal.aborted || setState({ question: null, problem }),
    );
    return () => control.abort();
  }, []);
  return state;
}

function PublicPage(): VNode {
  const [of] = useState(addressed);
  const { question, problem } = useQuestion(of);
  const isEmbedded = of.place === 'embed';
  useEffect(() => {
    if (question) document.title = question.metric.description || question.metric.metric;
  }, [question]);
  const shown = question ? (
    <Question {...question} isEmbedded={isEmbedded} />
  ) : problem === null ? (
    <Loading />
  ) : refusalOf(problem) === 'unknown-metric' ? (
    <Failed
      title="No public question"
      problem="Nothing is published at this address. The link may be old, or the question is not public any more."
    />
  ) : (
    <Failed title="No estimates" problem={`${problemInWords(problem)} Reload the page to try again.`} />
  );
  if (isEmbedded) return <main class="embed">{shown}</main>;
  return (
    <div class="frame">
      <Masthead lede={<>{estimatesInWords('population')} Nobody’s own answer is known here.</>}>Murmuration</Masthead>
      <main>{shown}</main>
    </div>
  );
}

interface QuestionProps extends PublicQuestion {
  readonly isEmbedded: boolean;
}

function Question({ metric, doubtful, estimates, series, isEmbedded }: QuestionProps): VNode {
  const title = useId();
  const question = metric.description || metric.metric;
  // A frame is a document of its own, whose first heading is the question.
  const heading = isEmbedded ? <h1 id={title}>{question}</h1> : <h2 id={title}>{question}</h2>;
  return (
    <article class="question" aria-labelledby={title}>
      {estimates && series ? (
        <Answered {...{ metric, doubtful, estimates, series, isEmbedded, question }} heading={heading} />
      ) : (
        <header class="question-head">
          {heading}
          <p class="verdict">Not enough reports yet. A week is shown when it is over, if enough reports came in it.</p>
        </header>
      )}
    </article>
  );
}

interface AnsweredProps extends Pick<QuestionProps, 'metric' | 'doubtful' | 'isEmbedded'> {
  readonly estimates: Estimates;
  readonly series: Series;
  readonly heading: VNode;
  readonly question: string;
}

/** The question with its sentence and its picture; below them the numbers, which frames have no room for. */
function Answered({ metric, doubtful, estimates, series, isEmbedded, heading, question }: AnsweredProps): VNode {
  const [head, picture] = [useRef<HTMLElement>(null), useRef<HTMLDivElement>(null)];
  const address = publicAddress(metric, 'v1/public');
  const drawn = [{ name: 'estimate', series }] as const;
  const isTrend = usualPicture(metric) === 'trend' && series.points.length > 1;
  const said = (): string =>
    [question, ...[...(head.current?.querySelectorAll('.verdict, .evidence') ?? [])].map(({ textContent }) => textContent)].join(' ');
  return (
    <>
      <header ref={head} class="question-head">
        {heading}
        <Sentence estimates={estimates} metric={metric} />
        <Evidence metric={metric} estimates={estimates} chosen={[]} isFiltered={false} missing={[]} span={null} />
        {doubtful.length > 0 && (
          <p class="note note-problem">
            Some reports of {doubtful.map((day) => dayRange(day, day)).join(', ')} can’t be right, and they are counted here.
          </p>
        )}
      </header>
      <section class="card" aria-label="Picture">
        <div ref={picture}>
          {isTrend ? (
            <Trend
              drawn={drawn}
              metric={metric}
              signs={doubtful.map((day) => ({ kind: 'law', day }))}
              annotations={[]}
              exclude={[]}
              sides={null}
            />
          ) : (
            <Shares estimates={estimates} metric={metric} />
          )}
        </div>
        {!isEmbedded && (
          <Tools
            name={metric.metric}
            title={question}
            parts={[head, picture]}
            rows={() => (isTrend ? seriesRows(drawn) : answerRows(estimates))}
            address={address}
            sentence={said}
            published={metric}
          />
        )}
      </section>
      {isEmbedded ? (
        <p class="note">
          <a href={publicAddress(metric, 'public')} target="_blank" rel="noopener">
            The numbers, and how far to trust them
          </a>
        </p>
      ) : (
        <section class="card">
          <Folded title="The numbers as a table">
            {() =>
              isTrend ? (
                <SeriesTable drawn={drawn} metric={metric} annotations={[]} exclude={[]} />
              ) : (
                <AnswerTable estimates={estimates} metric={metric} />
              )
            }
          </Folded>
          <Folded title="How it is asked, and how far to trust it">
            {() => <Details metric={metric} estimates={estimates} address={address} />}
          </Folded>
          <p class="note">
            Whole weeks that are over are counted, if at least {estimates.minimum} reports came in them. Counts are rounded down.{' '}
            <a href={`public/${metric.app}`}>All that {metric.app} asks</a>
          </p>
        </section>
      )}
    </>
  );
}

const root = document.getElementById('page');
if (root) {
  root.textContent = '';
  render(<PublicPage />, root);
}
