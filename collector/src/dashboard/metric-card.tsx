// One metric: the question, how it is asked, the conclusion, and the answers with their intervals.
// The chart is rendered again only when its estimates change. Metrics with strings have a card of their own.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Estimates, Metric, Sign } from '../api/shown.ts';
import { estimatesAddress, fetchEstimates, useAnswer } from './api.ts';
import { CardFrame, Details, Evidence, ImpossibleLine, Value, VerdictLine } from './card-parts.tsx';
import { Chart } from './chart.tsx';
import { Density } from './density.tsx';
import { askedOf, type Filter, isPart, missingFrom, type Span } from './filter.ts';
import { isOpen } from './judge.ts';
import { SignLine } from './signs.tsx';
import { NoReportsHere, TooFew } from './states.tsx';
import { StringsCard } from './strings-card.tsx';

interface CardProps {
  readonly metric: Metric;
  /** Of this metric. */
  readonly signs: readonly Sign[];
  readonly filter: Filter;
  /** First and last day with reports of any metric. Without any, the page explains once what to do. */
  readonly span: Span | null;
}

export function MetricCard(props: CardProps): VNode {
  return isOpen(props.metric) ? <StringsCard {...props} tooLong={<AnswersCard {...props} />} /> : <AnswersCard {...props} />;
}

function AnswersCard({ metric, signs, filter, span }: CardProps): VNode {
  const asked = askedOf(metric, filter, span?.to ?? null);
  const address = estimatesAddress(metric, asked);
  const state = useAnswer(metric, address, (signal) => fetchEstimates(metric, asked, signal));
  const estimates = state.value;
  const about = (
    <>
      <SignLine signs={signs} />
      {estimates?.impossible && !estimates.verdict && (
        <ImpossibleLine impossible={estimates.impossible} estimates={estimates} metric={metric} />
      )}
      {estimates && <VerdictLine verdict={estimates.verdict} answers={estimates.answers} metric={metric} />}
      <Evidence metric={metric} estimates={estimates} isFiltered={isPart(asked)} missing={missingFrom(metric, filter)} span={span} />
    </>
  );
  return (
    <CardFrame metric={metric} state={state} about={about}>
      {estimates && <Shown metric={metric} estimates={estimates} address={address} someReports={span !== null} />}
    </CardFrame>
  );
}

const TOO_LONG = 'The list is too long to be tested as a whole, so that many of these may be chance. Strings on no list can’t be seen.';

function Picture({ estimates, metric }: { estimates: Estimates; metric: Metric }): VNode {
  const { answers, unit, distribution } = estimates;
  const title = metric.description || metric.metric;
  const [first] = answers;
  if (unit === 'value' && first) return <Value answer={first} unit={metric.unit} title={title} />;
  if (distribution) return <Density answers={answers} distribution={distribution} title={title} />;
  return <Chart answers={answers} type={metric.type} title={title} note={isOpen(metric) ? TOO_LONG : undefined} />;
}

interface ShownProps {
  readonly metric: Metric;
  readonly estimates: Estimates;
  readonly address: string;
  readonly someReports: boolean;
}

function Shown({ metric, estimates, address, someReports }: ShownProps): VNode {
  const chart = useMemo(
    () => (
      <>
        <Picture estimates={estimates} metric={metric} />
        <Details metric={metric} estimates={estimates} address={address} />
      </>
    ),
    [estimates, address, metric.type, metric.description],
  );
  if (estimates.answers.length > 0) return chart;
  return estimates.reports === 0 ? (
    <NoReportsHere filtered={metric.reports > 0} someReports={someReports} />
  ) : (
    <TooFew estimates={estimates} />
  );
}
