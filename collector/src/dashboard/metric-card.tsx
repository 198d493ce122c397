// One metric: the question, how it is asked, the conclusion, and the answers with their intervals.
// The chart is rendered again only when its estimates change.

import type { VNode } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { type Asked, estimatesAddress } from './api.ts';
import { AssociationTable } from './association.tsx';
import { Chart } from './chart.tsx';
import { Density, DensityLine } from './density.tsx';
import { Details } from './details.tsx';
import { Evidence } from './evidence.tsx';
import { explain } from './explain.ts';
import { askedOf, type Filter, type Span } from './filter.ts';
import { isOpen } from './order.ts';
import { Failed, LoadingBars, NoReportsHere, TooFew } from './states.tsx';
import type { Estimates, Metric } from './types.ts';
import { type EstimatesState, useEstimates } from './use-estimates.ts';
import { Value, ValueLine } from './value.tsx';
import { VerdictLine } from './verdict-line.tsx';

export function MetricCard({ metric, filter, span }: { metric: Metric; filter: Filter; span: Span | null }): VNode {
  const asked = askedOf(metric, filter, span?.to ?? null);
  const address = estimatesAddress(metric, asked);
  const state = useEstimates(metric, address, asked);
  const missing = Object.keys(filter.segments).filter((name) => !metric.segments[name]?.includes(filter.segments[name] ?? ''));
  const title = useId();
  return (
    <article class="card" aria-labelledby={title} aria-busy={state.outdated}>
      <div class="card-about">
        <h3 id={title}>{metric.description || metric.metric}</h3>
        <div class={state.outdated ? 'outdated' : ''}>
          {state.estimates && <Conclusion estimates={state.estimates} metric={metric} />}
          <Evidence metric={metric} estimates={state.estimates} missing={missing} span={span} />
        </div>
        <ul class="tags" aria-label="How it is asked">
          <li class="tag tag-name" title={`${metric.app}, version ${metric.version}, a ${metric.type}`}>
            {metric.metric}
          </li>
          {explain(metric).map(({ word, meaning }) => (
            <li key={word} class="tag" title={meaning}>
              {word}
            </li>
          ))}
        </ul>
      </div>
      <div class="card-answers">
        <Answers metric={metric} asked={asked} address={address} state={state} someReports={span !== null} />
      </div>
    </article>
  );
}

function Conclusion({ estimates, metric }: { estimates: Estimates; metric: Metric }): VNode | null {
  const [first] = estimates.answers;
  if (!first) return null;
  if (estimates.distribution) return <DensityLine distribution={estimates.distribution} />;
  return estimates.unit === 'value' ? <ValueLine answer={first} /> : <VerdictLine answers={estimates.answers} type={metric.type} />;
}

interface AnswersProps {
  readonly metric: Metric;
  readonly asked: Asked;
  readonly address: string;
  /** Whether any metric has reports. If none has, the page explains once what to do. */
  readonly someReports: boolean;
}

function Answers({ metric, asked, address, someReports, state }: AnswersProps & { state: EstimatesState }): VNode {
  const { estimates, problem, outdated } = state;
  if (problem && !estimates) return <Failed title="No estimates" problem={`${problem} Trying again.`} />;
  if (!estimates) return <LoadingBars />;
  return (
    <div class={outdated ? 'outdated' : ''}>
      <Shown metric={metric} asked={asked} estimates={estimates} address={address} someReports={someReports} />
      {problem && <p class="note note-problem">{problem} These are the last numbers that came.</p>}
    </div>
  );
}

function Picture({ estimates, metric }: { estimates: Estimates; metric: Metric }): VNode {
  const { answers, unit, distribution } = estimates;
  const title = metric.description || metric.metric;
  const [first] = answers;
  if (unit === 'value' && first) return <Value answer={first} title={title} />;
  if (distribution) return <Density answers={answers} distribution={distribution} title={title} />;
  return <Chart answers={answers} type={metric.type} title={title} open={isOpen(metric)} />;
}

function Shown({ metric, asked, estimates, address, someReports }: AnswersProps & { estimates: Estimates }): VNode {
  const chart = useMemo(
    () => (
      <>
        <Picture estimates={estimates} metric={metric} />
        {isOpen(metric) && metric.type === 'joint' && <AssociationTable metric={metric} asked={asked} estimates={estimates} />}
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
