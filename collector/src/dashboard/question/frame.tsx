// The frame of the page of a question, in its order: the question, the sentence that answers it, the picture, a comparison, days that are left out,
// the numbers as a table, and the details. Its contents depend on the type of question.

import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Metric, Sign } from '../../api/shown.ts';
import { goTo, questionPath, useTitle } from '../address.ts';
import type { AnswerState } from '../api.ts';
import { Folded } from '../card-parts.tsx';
import type { Filter, Span } from '../filter.ts';
import { DateInput, Filters } from '../filters.tsx';
import { dayRange, reportCount } from '../format.ts';
import { isPublic } from '../judge.ts';
import { SignLine } from '../signs.tsx';
import { Failed, Gone, LoadingBars } from '../states.tsx';
import { askedOfBoth, CompareControls, ComparisonLine, ComparisonTable, useComparison } from './compare.tsx';
import { Others } from './others.tsx';
import { comparisonRows, type Rows } from './takeaway.ts';
import { Tools } from './tools.tsx';
import {
  askedIn,
  goneFrom,
  MOST_EXCLUDED,
  namesGoneDays,
  type Part,
  toggled,
  type View,
  viewFromQuery,
  viewInWords,
  waysOf,
  withView,
} from './view.ts';

export interface QuestionProps {
  readonly metric: Metric;
  /** Of this metric. */
  readonly signs: readonly Sign[];
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  /** First and last day with reports of any metric. */
  readonly span: Span | null;
  readonly query: string;
}

/** The view of an address, and how it is changed: each choice is a step that Back undoes. */
export function viewOf({ metric, query }: Pick<QuestionProps, 'metric' | 'query'>): {
  readonly view: View;
  readonly choose: (change: Partial<View>, how?: 'push' | 'replace') => void;
  readonly gone: readonly string[];
} {
  const asked = viewFromQuery(query);
  const gone = asked.sides ? goneFrom(metric, asked.sides) : [];
  const view = gone.length > 0 ? { ...asked, sides: null } : asked;
  return { view, gone, choose: (change, how) => goTo(location.pathname + withView(query, { ...view, ...change }), how) };
}

/** Milliseconds after the last scrolling until the entry of the address has its place. */
const SCROLLED = 150;

/** Keeps the place that the page is scrolled to with the entry of its address, and returns there once its parts have come. */
function useScroll(isComplete: boolean): void {
  useLayoutEffect(() => {
    if (!isComplete) return undefined;
    const { y } = (history.state ?? {}) as { readonly y?: number };
    if (y !== undefined) scrollTo(0, y);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => history.replaceState({ y: scrollY }, ''), SCROLLED);
    };
    addEventListener('scroll', keep);
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', keep);
    };
  }, [isComplete]);
}

/** Numbers of the picture, to be taken away. */
interface Takeaway {
  readonly rows: () => Rows;
  readonly address: string;
}

interface FrameProps<T> {
  readonly of: QuestionProps;
  readonly state: AnswerState<T>;
  /** The sentence, where nothing is compared. */
  readonly sentence: ComponentChildren;
  readonly evidence: VNode;
  /** Stands for the answers until they come. */
  readonly loading?: VNode;
  /** Stands above answers to the previous view. */
  readonly waiting?: VNode | null;
  /** Chooses what is drawn. */
  readonly controls?: VNode | null;
  readonly takeaway: Takeaway | null;
  readonly table: (() => VNode) | null;
  readonly details: (() => VNode) | null;
  readonly children: ComponentChildren;
}

export function Frame<T>(props: FrameProps<T>): VNode {
  const { of, state, sentence, evidence, takeaway, table, details } = props;
  const { metric, signs, filter, onFilter } = of;
  const { view, choose, gone } = viewOf(of);
  const { sides, open } = view;
  const asked = askedIn(of, view);
  const { from, to } = asked;
  const wanted = askedOfBoth(asked, view, filter.days !== null);
  const [compared, address] = useComparison(metric, wanted, sides);
  const title = useId();
  const [head, picture, difference] = [useRef<HTMLElement>(null), useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const question = metric.description || metric.metric;
  const said = (): string => {
    const texts = [...(head.current?.querySelectorAll('.verdict, .evidence') ?? [])].map(({ textContent }) => textContent);
    return [question, ...texts].join(' ');
  };
  const comparison = sides && compared.value;
  const shown = viewInWords(view, asked);
  useTitle(shown === '' ? question : `${question} ${shown}`);
  useScroll(takeaway !== null && (sides === null || comparison !== null));
  const foldedBy = (part: Part) => ({
    isOpen: open.includes(part),
    onOpen: (isOpen: boolean) => choose({ open: isOpen ? [...open, part] : open.filter((each) => each !== part) }, 'replace'),
  });
  const tools = (taken: Takeaway, what: string, part: typeof picture): VNode => (
    <Tools
      {...taken}
      name={`${metric.metric}${what}`}
      title={question}
      parts={[head, part]}
      sentence={said}
      published={isPublic(metric) ? metric : undefined}
    />
  );
  return (
    <article class="question" aria-labelledby={title} aria-busy={state.outdated} data-address={location.href}>
      <header ref={head} class="question-head">
        <h2 id={title}>{question}</h2>
        <div class={state.outdated || compared.outdated ? 'outdated' : ''}>
          {comparison && sides ? <ComparisonLine comparison={comparison} sides={sides} /> : sentence}
          {!sides && evidence}
        </div>
        {filter.days !== null && from && to && (
          <button type="button" class="quiet-button" onClick={() => onFilter({ ...filter, days: null, from, to })}>
            Stay with {dayRange(from, to)}
          </button>
        )}
      </header>
      <Gone parts={gone} />
      {metric.from !== null && namesGoneDays(metric, filter, view) && (
        <p class="gone" role="status">
          This link asks for days that have no reports any more, or never had. They begin on {dayRange(metric.from, metric.from)}.
        </p>
      )}
      <Suspicious signs={signs} exclude={view.exclude} onExclude={(exclude) => choose({ exclude })} />
      <section class="card" aria-label="Picture">
        {props.controls}
        <div ref={picture}>
          <Answers {...props} />
        </div>
        {state.value && takeaway && tools(takeaway, '', picture)}
      </section>
      {metric.reports > 0 && (
        <div class="question-side">
          {waysOf(metric).length > 0 && (
            <section class="card" aria-labelledby={`${title}-compare`}>
              <h3 id={`${title}-compare`}>Compare</h3>
              <CompareControls metric={metric} view={view} onChoose={choose} />
              {sides &&
                !compared.value &&
                (compared.problem ? <Failed title="No comparison" problem={compared.problem} /> : <LoadingBars />)}
              {comparison && sides && (
                <>
                  <div ref={difference} class={compared.outdated ? 'outdated' : ''}>
                    <ComparisonTable comparison={comparison} metric={metric} sides={sides} />
                  </div>
                  {comparison.differences.length > 0 && tools({ rows: () => comparisonRows(comparison), address }, '-compared', difference)}
                  <Folded title="What else changed" {...foldedBy('others')}>
                    {() => (
                      <Others
                        metric={metric}
                        sides={sides}
                        asked={wanted}
                        pathOf={(other) =>
                          `${questionPath({ ...metric, metric: other }, filter)}&${withView('', { ...view, picture: null }).slice(1)}`
                        }
                      />
                    )}
                  </Folded>
                </>
              )}
            </section>
          )}
          <section class="card" aria-labelledby={`${title}-counted`}>
            <h3 id={`${title}-counted`}>What is counted</h3>
            <Filters metrics={[metric]} filter={filter} onFilter={onFilter} />
            <LeftOut metric={metric} exclude={view.exclude} onExclude={(exclude) => choose({ exclude })} />
          </section>
        </div>
      )}
      {state.value && (
        <section class="card">
          {table && (
            <Folded title="The numbers as a table" {...foldedBy('table')}>
              {table}
            </Folded>
          )}
          {details && (
            <Folded title="How it is asked, and how far to trust it" {...foldedBy('details')}>
              {details}
            </Folded>
          )}
        </section>
      )}
    </article>
  );
}

/** The answers, or what stands for them. */
function Answers<T>({ state: { value, problem, outdated }, loading, waiting, children }: FrameProps<T>): VNode {
  if (problem && !value) return <Failed title="No estimates" problem={`${problem} Trying again.`} />;
  if (!value) return loading ?? <LoadingBars />;
  return (
    <>
      {waiting}
      <div class={outdated ? 'outdated' : ''}>
        {children}
        {problem && <p class="note note-problem">{problem} These are the last numbers that came.</p>}
      </div>
    </>
  );
}

interface Excluding {
  readonly exclude: readonly string[];
  readonly onExclude: (exclude: readonly string[]) => void;
}

/** Signs of the metric. Days whose reports the law can't have given are offered to be left out, and back again. */
function Suspicious({ signs, exclude, onExclude }: { signs: readonly Sign[] } & Excluding): VNode | null {
  if (signs.length === 0) return null;
  const days = [...new Set(signs.filter(({ kind }) => kind === 'law').map(({ day }) => day))].sort();
  const [first = ''] = days;
  const action = days.every((day) => exclude.includes(day)) ? 'Put back' : 'Leave out';
  return (
    <div class="suspicious">
      <SignLine signs={signs} />
      {days.length > 0 && (
        <button type="button" class="quiet-button" onClick={() => onExclude(toggled(exclude, days))}>
          {action} {days.length === 1 ? dayRange(first, first) : `these ${days.length} days`}
        </button>
      )}
    </div>
  );
}

/** The days that are left out, each with a way back, and a way to leave out another one. */
function LeftOut({ metric, exclude, onExclude }: { metric: Metric } & Excluding): VNode {
  return (
    <fieldset class="choice left-out">
      <legend>days left out</legend>
      {exclude.map((day) => (
        <button key={day} type="button" class="quiet-button" onClick={() => onExclude(toggled(exclude, [day]))}>
          Put back {dayRange(day, day)}
        </button>
      ))}
      {exclude.length < MOST_EXCLUDED && (
        <DateInput
          name={exclude.length === 0 ? 'none; leave out' : 'leave out'}
          value=""
          min={metric.from ?? ''}
          max={metric.to ?? ''}
          onChoose={(day) => day !== undefined && !exclude.includes(day) && onExclude(toggled(exclude, [day]))}
        />
      )}
    </fieldset>
  );
}

/** Days that an answer leaves out, with their reports. */
export function ExcludedLine({
  excluded,
}: {
  excluded: readonly { from: string; to: string; reports: number }[] | undefined;
}): VNode | null {
  if (!excluded || excluded.length === 0) return null;
  const words = excluded.map(({ from, to, reports }) => `${dayRange(from, to)} (${reportCount(reports)})`);
  return <p class="evidence">Left out: {words.join(', ')}.</p>;
}
