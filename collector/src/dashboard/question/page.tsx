// The page of one question: estimates over time or as shares, a number or a distribution; strings have their own contents in the same frame.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Estimates, Metric, Series } from '../../api/shown.ts';
import { estimatesAddress, fetchAnnotations, fetchEstimates, fetchSeries, type OverTime, seriesAddress, useAnswer } from '../api.ts';
import { AssociationTable } from '../association.tsx';
import { AnswerTable, Details, Evidence, Fact, Value } from '../card-parts.tsx';
import { Chart, Density } from '../chart.tsx';
import { outlookInWords } from '../explain.ts';
import { chosenIn, isPart, missingFrom } from '../filter.ts';
import { Choice } from '../filters.tsx';
import { daysBetween, withMargin } from '../format.ts';
import { isOpen } from '../judge.ts';
import { LoadingBars, NoReportsHere, TooFew } from '../states.tsx';
import { StringsPage } from '../strings-card.tsx';
import { ImpossibleLine, VerdictLine } from '../verdict-line.tsx';
import { ONE_LOOK } from './compare.tsx';
import { ExcludedLine, Frame, type QuestionProps, viewOf } from './frame.tsx';
import { gridOf, HeatMap } from './heat-map.tsx';
import { type Drawn, SeriesTable } from './reading.tsx';
import { answerRows, seriesRows } from './takeaway.ts';
import { Trend } from './trend.tsx';
import { askedIn, byOf, type Interval, type Picture as Pictures, type Side, sideInWords, toggled, type View } from './view.ts';

export function QuestionPage(props: QuestionProps): VNode {
  return isOpen(props.metric) ? <StringsPage {...props} tooLong={<AnswersPage {...props} />} /> : <AnswersPage {...props} />;
}

/** The picture that is drawn unless the reader chooses: a distribution says more than its mean over time. */
export const usualPicture = ({ type }: Metric): Pictures =>
  ['flag', 'choice', 'choices', 'mean', 'count'].includes(type) ? 'trend' : 'shares';

/** The longest trends by day and by week. */
const MOST_DAYS = 120;
const MOST_WEEK_DAYS = 740;

const usualInterval = (days: number): Interval => (days <= MOST_DAYS ? 'day' : days <= MOST_WEEK_DAYS ? 'week' : 'month');

/** Milliseconds until annotations are asked for again, where reports come. */
const ANNOTATIONS_PAUSE = 60_000;

/** Answers that are followed over time. */
const FOLLOWED = 6;

function AnswersPage(props: QuestionProps): VNode {
  const { metric, filter, signs, span } = props;
  const { view, choose } = viewOf(props);
  const asked = askedIn(props, view);
  const address = estimatesAddress(metric, asked);
  const state = useAnswer(metric, address, (signal) => fetchEstimates(metric, asked, signal));
  const estimates = state.value;
  const isTrend = !isOpen(metric) && (view.picture ?? usualPicture(metric)) === 'trend';
  const [first, last] = [metric.from ?? '', metric.to ?? ''];
  const days = daysBetween(asked.from && asked.from > first ? asked.from : first, asked.to && asked.to < last ? asked.to : last);
  const interval = view.interval ?? usualInterval(days);
  const over = overTime(view, { ...asked, interval, top: FOLLOWED });
  const addresses = isTrend && metric.reports > 0 ? over.map(({ asked }) => seriesAddress(metric, asked)).join(' ') : null;
  const trend = useAnswer(metric, addresses, (signal) => Promise.all(over.map((each) => fetchSeries(metric, each.asked, signal))));
  const drawn = trend.value && drawnOf(trend.value, over);
  const ofApp = addresses && `annotations of ${metric.app}`;
  const annotations = useAnswer(metric, ofApp, (signal) => fetchAnnotations(metric, signal), ANNOTATIONS_PAUSE).value ?? [];
  const shows = estimates !== null && estimates.answers.length > 0;
  const [line] = drawn ?? [];
  const takeaway = isTrend
    ? drawn && { rows: () => seriesRows(drawn), address: seriesAddress(metric, over[0].asked) }
    : estimates && { rows: () => answerRows(estimates), address };
  return (
    <Frame
      of={props}
      state={state}
      sentence={estimates && <Sentence estimates={estimates} metric={metric} />}
      evidence={
        <>
          <Evidence
            metric={metric}
            estimates={estimates}
            chosen={chosenIn(asked)}
            isFiltered={isPart(asked)}
            missing={missingFrom(metric, filter)}
            span={span}
          />
          <ExcludedLine excluded={estimates?.excluded} />
          {metric.outlook && !isPart(asked) && !estimates?.excluded && <p class="evidence">{outlookInWords(metric)}</p>}
        </>
      }
      controls={shows && !isOpen(metric) ? <Controls metric={metric} isTrend={isTrend} interval={interval} onChoose={choose} /> : null}
      takeaway={shows ? takeaway : null}
      table={
        !shows
          ? null
          : isTrend && line
            ? () => <SeriesTable drawn={drawn as Drawn} metric={metric} annotations={annotations} exclude={view.exclude} />
            : () => <AnswerTable estimates={estimates} metric={metric} />
      }
      details={estimates && (() => <Details metric={metric} estimates={estimates} address={address} />)}
    >
      {estimates && !shows && <Nothing estimates={estimates} metric={metric} someReports={span !== null} />}
      {shows &&
        isTrend &&
        (drawn ? (
          <div class={trend.outdated ? 'outdated' : ''}>
            <Trend
              drawn={drawn}
              metric={metric}
              signs={signs}
              annotations={annotations}
              exclude={view.exclude}
              sides={view.sides && byOf(view.sides) === 'days' ? view.sides : null}
              onToggle={(days) => choose({ exclude: toggled(view.exclude, days) })}
            />
          </div>
        ) : trend.problem ? (
          <p class="note note-problem">{trend.problem}</p>
        ) : (
          <LoadingBars />
        ))}
      {shows && !isTrend && <Shares estimates={estimates} metric={metric} />}
      {shows && areLists(metric) && <AssociationTable metric={metric} asked={asked} basis={estimates} />}
    </Frame>
  );
}

/** True if lists are asked together, and how they go together can be told. */
const areLists = (metric: Metric): boolean => metric.type === 'joint' && !isOpen(metric) && metric.mechanism !== 'd-bit-flip';

type Asking = readonly [{ readonly name: string; readonly asked: OverTime }, ...{ readonly name: string; readonly asked: OverTime }[]];

/** The series that are asked for: one, or those of both sides where these are not days. B is the one that is looked at, so it comes first. */
function overTime({ sides }: View, asked: OverTime): Asking {
  if (sides === null || byOf(sides) === 'days') return [{ name: 'estimate', asked }];
  const of = (side: Side): Asking[number] => ({
    name: sideInWords(side),
    asked: { ...asked, ...side, segment: { ...asked.segment, ...side.segment } },
  });
  return [of(sides.b), of(sides.a)];
}

function drawnOf(series: readonly Series[], over: Asking): Drawn | null {
  const [first, ...others] = series.map((each, i) => ({ name: over[i]?.name ?? '', series: each }));
  return first ? [first, ...others] : null;
}

/** The sentence that answers the question, and at how many looks it holds. */
export function Sentence({ estimates, metric }: { estimates: Estimates; metric: Metric }): VNode {
  const { verdict, impossible, answers, excluded } = estimates;
  return (
    <>
      {impossible && !verdict && <ImpossibleLine impossible={impossible} estimates={estimates} metric={metric} />}
      <VerdictLine verdict={verdict} answers={answers} metric={metric} />
      {excluded && verdict?.looks === 'once' && <p class="evidence">{ONE_LOOK}</p>}
    </>
  );
}

function Controls({
  metric,
  isTrend,
  interval,
  onChoose,
}: {
  metric: Metric;
  isTrend: boolean;
  interval: Interval;
  onChoose: (change: Partial<View>) => void;
}): VNode {
  const usual = usualPicture(metric);
  const shares = metric.range ? 'one number' : 'shares';
  return (
    <div class="filters picture-controls">
      <Choice
        name="show"
        value={isTrend ? 'trend' : 'shares'}
        options={[
          { value: 'trend', label: 'over time' },
          { value: 'shares', label: metric.type === 'distribution' ? 'distribution' : shares },
        ]}
        onChoose={(picture) => onChoose({ picture: picture === usual ? null : (picture as Pictures) })}
      />
      {isTrend && (
        <Choice
          name="each"
          value={interval}
          options={(['day', 'week', 'month'] as const).map((value) => ({ value, label: value }))}
          onChoose={(value) => onChoose({ interval: value as Interval })}
        />
      )}
    </div>
  );
}

const TOO_LONG = 'The list is too long to be tested as a whole, so that many of these may be chance. Strings on no list can’t be seen.';

/** The answers of all days together. It is drawn again only when they change. */
export function Shares({ estimates, metric }: { estimates: Estimates; metric: Metric }): VNode {
  const { answers, unit, distribution, options } = estimates;
  const title = metric.description || metric.metric;
  const [first] = answers;
  return useMemo(() => {
    if (options) return <Options options={options} inputs={<Chart answers={answers} type={metric.type} title={title} />} />;
    if (unit === 'value' && first) return <Value answer={first} unit={metric.unit} title={title} />;
    const grid = gridOf(answers);
    if (grid && !isOpen(metric)) return <HeatMap grid={grid} title={title} />;
    if (distribution) return <Density answers={answers} distribution={distribution} title={title} />;
    return <Chart answers={answers} type={metric.type} title={title} note={isOpen(metric) ? TOO_LONG : undefined} />;
  }, [estimates, metric.type, title]);
}

/** The options of a question for the best one, with the score that each would have if everybody got it; then who would get them. */
function Options({ options, inputs }: { options: NonNullable<Estimates['options']>; inputs: VNode }): VNode {
  return (
    <div class="options">
      <h3>Mean score of each option, if everybody had it</h3>
      <dl class="facts">
        {options.map((option) => (
          <Fact key={option.option} word={option.option}>
            {withMargin(option, true)}
          </Fact>
        ))}
      </dl>
      <h3>Users by what they said</h3>
      {inputs}
    </div>
  );
}

function Nothing({ estimates, metric, someReports }: { estimates: Estimates; metric: Metric; someReports: boolean }): VNode {
  return estimates.reports === 0 ? <NoReportsHere metric={metric} someReports={someReports} /> : <TooFew estimates={estimates} />;
}
