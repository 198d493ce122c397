// One question of the overview: its words, how many reports it has, its answer in a clause, and how that went. Rows ask for their answers when
// they are on the screen or near it.

import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Answer, Estimates, Metric, Sign } from '../../api/shown.ts';
import { questionPath } from '../address.ts';
import { type AnswerState, type Asked, decodeAddress, estimatesAddress, fetchEstimates, fetchStrings, useAnswer } from '../api.ts';
import { outlookInWords, signInWords } from '../explain.ts';
import { askedOf, type Filter, isPart } from '../filter.ts';
import { count, decimalsFor, decimalsForValue, figure, margin, marginOfValue, percent, reportCount } from '../format.ts';
import { inOrder, isOpen, labelOf } from '../judge.ts';
import { ImpossibleLine, VerdictLine } from '../verdict-line.tsx';
import { hasFew, nameOf, STATES, TYPES } from './find.ts';
import { inTurn, useNear } from './near.ts';
import { Trend } from './trend.tsx';

/** Milliseconds between two answers of one row, while reports come. */
const LEAST = 10_000;

/** Strings of a row. Only those that are found are named. */
const FEW_STRINGS = 20;

interface RowProps {
  readonly metric: Metric;
  /** Of this metric. */
  readonly signs: readonly Sign[];
  readonly filter: Filter;
  /** The last day with reports of any metric. */
  readonly lastDay: string | null;
}

/** The place of a row among all, of which not every one is made. */
interface Place {
  readonly place: number;
  readonly of: number;
}

export function Row({ metric, signs, filter, lastDay, place, of }: RowProps & Place): VNode {
  const item = useRef<HTMLLIElement>(null);
  const isNear = useNear(item);
  const [isShown, setShown] = useState(false);
  return useMemo(
    () => (
      <li class="ask" ref={item} aria-posinset={place} aria-setsize={of}>
        <div class="ask-about">
          <a class="ask-question" href={questionPath(metric, filter)}>
            {nameOf(metric)}
          </a>
          <p class="ask-meta">
            {metric.description && <code>{metric.metric}</code>}
            <span>{TYPES[metric.type]}</span>
            {metric.owner && <span>asked by {metric.owner}</span>}
            <span>{reportCount(metric.reports)}</span>
          </p>
        </div>
        {metric.reports === 0 ? (
          <Clause>
            <p class="quiet">No reports yet.</p>
          </Clause>
        ) : isNear || isShown ? (
          <Answered {...{ metric, signs, filter, lastDay, isNear }} onShown={setShown} />
        ) : (
          <Waiting />
        )}
      </li>
    ),
    [metric, signs, filter, lastDay, place, of, isNear, isShown],
  );
}

/** The place of the answer. */
function Clause({ children, outdated = false }: { children: ComponentChildren; outdated?: boolean }): VNode {
  return <div class={outdated ? 'ask-answer outdated' : 'ask-answer'}>{children}</div>;
}

const Waiting = (): VNode => (
  <Clause>
    <span class="ask-wait" aria-hidden="true" />
  </Clause>
);

interface AnsweredProps extends RowProps {
  readonly isNear: boolean;
  readonly onShown: (isShown: boolean) => void;
}

/** The answer, as of when the row was last near the screen. */
function Answered({ metric, isNear, onShown, ...others }: AnsweredProps): VNode {
  const seen = useRef(metric);
  if (isNear) seen.current = metric;
  const shown = { metric: seen.current, onShown, ...others };
  return isOpen(metric) ? <Strings {...shown} /> : <Shares {...shown} />;
}

type ShownProps = Omit<AnsweredProps, 'isNear'>;

/** A clause that waits for its answer, and says where it fails. */
function Held<T>({
  state,
  onShown,
  children,
}: {
  state: AnswerState<T>;
  onShown: ShownProps['onShown'];
  children: (value: T) => ComponentChildren;
}): VNode {
  const { value, problem, outdated } = state;
  const isShown = value !== null;
  useEffect(() => onShown(isShown), [isShown]);
  if (value !== null)
    return (
      <Clause outdated={outdated}>
        {children(value)}
        {problem && <p class="note note-problem">{problem} This is the last answer that came.</p>}
      </Clause>
    );
  if (problem === null) return <Waiting />;
  return (
    <Clause>
      <p class="note note-problem">{problem} Trying again.</p>
    </Clause>
  );
}

function Shares({ metric, signs, filter, lastDay, onShown }: ShownProps): VNode {
  const asked = askedOf(metric, filter, lastDay);
  const address = estimatesAddress(metric, asked);
  const state = useAnswer(metric, address, (signal) => inTurn(signal, () => fetchEstimates(metric, asked, signal)), LEAST);
  const { value } = state;
  const isOver = value !== null && value.from !== null && value.to !== null && value.from !== value.to && value.answers.length > 0;
  return (
    <>
      <Held state={state} onShown={onShown}>
        {(estimates) => (
          <>
            <SignOfRow signs={signs} />
            <ClauseOf metric={metric} estimates={estimates} />
            {hasFew(metric) && !isPart(asked) && <p class="quiet">{outlookInWords(metric)}</p>}
          </>
        )}
      </Held>
      {isOver && (
        <Trend
          metric={metric}
          asked={asked}
          from={value.from as string}
          to={value.to as string}
          label={labelIn(value, metric)}
          least={LEAST}
        />
      )}
    </>
  );
}

/** The label of the answer that a clause is about, where the verdict names it. */
const labelIn = ({ verdict, unit }: Estimates, { type }: Metric): string | undefined =>
  unit === 'value' || type === 'distribution' ? undefined : (verdict?.answers[0] ?? (type === 'flag' ? 'true' : undefined));

function ClauseOf({ metric, estimates }: { metric: Metric; estimates: Estimates }): VNode {
  const { verdict, impossible, answers, reports, minimum } = estimates;
  if (answers.length === 0)
    return (
      <p class="quiet">
        {reports === 0 ? 'No reports in this part.' : `Too few reports to say anything: ${count(reports)} of ${count(minimum)}.`}
      </p>
    );
  if (impossible && !verdict) return <ImpossibleLine impossible={impossible} estimates={estimates} metric={metric} />;
  if (verdict && verdict.kind !== 'none') return <VerdictLine verdict={verdict} answers={answers} metric={metric} />;
  return <Plain metric={metric} estimates={estimates} />;
}

/** The largest answer, where the chosen days have no verdict. */
function Plain({ metric, estimates: { answers, unit, distribution } }: { metric: Metric; estimates: Estimates }): VNode {
  const [first] = metric.type === 'flag' ? inOrder(answers, 'flag') : answers.toSorted((one, other) => other.estimate - one.estimate);
  const number = distribution?.mean ?? (unit === 'value' ? first : undefined);
  if (number)
    return (
      <p class="verdict">
        <strong>Average:</strong> {figure(number.estimate, decimalsForValue(number))} ± {marginOfValue(number, decimalsForValue(number))}
        {metric.unit && ` ${metric.unit}`}
      </p>
    );
  return <p class="verdict">{first && <Share answer={first} metric={metric} />}</p>;
}

function Share({ answer, metric }: { answer: Answer; metric: Metric }): VNode {
  const decimals = decimalsFor([answer]);
  return (
    <>
      <strong dir="auto">{labelOf(answer, metric.type)}:</strong> {percent(answer.estimate, decimals)} ± {margin(answer, decimals)}
    </>
  );
}

function SignOfRow({ signs: [first] }: { signs: readonly Sign[] }): VNode | null {
  return first ? (
    <p class="ask-state" title={signInWords(first)}>
      {STATES.look}
    </p>
  ) : null;
}

function Strings({ metric, signs, filter, lastDay, onShown }: ShownProps): VNode {
  const { among: _always, ...asked }: Asked = askedOf(metric, filter, lastDay);
  const address = decodeAddress(metric, asked);
  const state = useAnswer(
    metric,
    address,
    (signal, onProgress) => inTurn(signal, () => fetchStrings(metric, asked, signal, onProgress, FEW_STRINGS)),
    LEAST,
  );
  return (
    <Held state={state} onShown={onShown}>
      {({ outcome, meaning, strings, found, verdict, reports, minimum }) => (
        <>
          <SignOfRow signs={signs} />
          {outcome === 'too-few-reports' ? (
            <p class="quiet">
              {reports === 0 ? 'No reports in this part.' : `Too few reports to say anything: ${count(reports)} of ${count(minimum)}.`}
            </p>
          ) : (
            <>
              {found > 0 && verdict && verdict.kind !== 'noise' && <VerdictLine verdict={verdict} answers={strings} metric={metric} />}
              <p class="quiet">{meaning.replaceAll(' %', '\u00a0%')}</p>
            </>
          )}
        </>
      )}
    </Held>
  );
}
