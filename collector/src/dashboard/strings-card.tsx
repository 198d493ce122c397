// One metric with strings: which strings are there, of a list or of all, told apart from chance, and the share that none of them explains.
// What the whole distribution looks like is another question, answered in the details.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Metric, Strings } from '../api/shown.ts';
import { decodeAddress, fetchStrings } from './api.ts';
import { AssociationTable } from './association.tsx';
import { CardFrame } from './card-frame.tsx';
import { Evidence } from './evidence.tsx';
import { askedOf, type Filter, isPart, missingFrom, type Span } from './filter.ts';
import { percent, reportCount } from './format.ts';
import { judge } from './judge.ts';
import { Decoding } from './progress.tsx';
import { NoReportsHere, TooFew } from './states.tsx';
import { shownOf } from './strings.ts';
import { StringsChart } from './strings-chart.tsx';
import { StringsDetails } from './strings-details.tsx';
import { useAnswer } from './use-answer.ts';
import { VerdictLine } from './verdict-line.tsx';

interface StringsCardProps {
  readonly metric: Metric;
  readonly filter: Filter;
  readonly span: Span | null;
  /** Stands for it where the list is too long to be decoded. */
  readonly tooLong: VNode;
}

export function StringsCard({ metric, filter, span, tooLong }: StringsCardProps): VNode {
  const { among: _always, ...asked } = askedOf(metric, filter, span?.to ?? null);
  const address = decodeAddress(metric, asked);
  const state = useAnswer(metric, address, (signal, onProgress) => fetchStrings(metric, asked, signal, onProgress));
  const { value: strings, progress, outdated } = state;
  if (state.refusal === 'too-many-candidates') return tooLong;
  const about = (
    <>
      {strings && <Conclusion strings={strings} metric={metric} />}
      <Evidence
        metric={metric}
        estimates={strings && { ...strings, among: 'population' }}
        isFiltered={isPart(asked)}
        missing={missingFrom(metric, filter)}
        span={span}
      />
    </>
  );
  return (
    <CardFrame
      metric={metric}
      state={state}
      about={about}
      loading={<Decoding progress={progress} />}
      waiting={outdated ? <Decoding progress={progress} /> : null}
    >
      {strings && <Shown metric={metric} strings={strings} address={address} someReports={span !== null} />}
      {strings && strings.strings.length > 0 && metric.type === 'joint' && (
        <AssociationTable metric={metric} asked={asked} basis={strings} />
      )}
    </CardFrame>
  );
}

function Conclusion({ strings, metric }: { strings: Strings; metric: Metric }): VNode | null {
  const { outcome, meaning } = strings;
  if (outcome === 'too-few-reports' || outcome === 'no-candidates') return null;
  const answers = shownOf(strings).found;
  // A string may be there, and its share not known any better than "at most so much".
  const isKnown = judge(answers, metric.type).kind !== 'noise';
  return (
    <>
      {isKnown && <VerdictLine answers={answers} type={metric.type} />}
      <p class={isKnown && outcome === 'decoded' ? 'verdict verdict-more' : 'verdict'}>{meaning.replaceAll(' %', '\u00a0%')}</p>
    </>
  );
}

/** In place of a chart: what it would take. */
function NothingFound({ strings: { reports, detectable } }: { strings: Strings }): VNode | null {
  if (detectable === undefined) return null;
  return (
    <p class="quiet">
      From {reportCount(reports)}, a string is found half of the time if {percent(detectable, 1, Math.ceil)} of them come from it.
    </p>
  );
}

interface ShownProps {
  readonly metric: Metric;
  readonly strings: Strings;
  readonly address: string;
  readonly someReports: boolean;
}

function Shown({ metric, strings, address, someReports }: ShownProps): VNode {
  const chart = useMemo(
    () => (
      <>
        {strings.strings.length > 0 ? (
          <StringsChart strings={strings} type={metric.type} title={metric.description || metric.metric} />
        ) : (
          <NothingFound strings={strings} />
        )}
        <StringsDetails metric={metric} strings={strings} address={address} />
      </>
    ),
    [strings, address, metric.type, metric.description],
  );
  switch (strings.outcome) {
    case 'too-few-reports':
      return strings.reports === 0 ? (
        <NoReportsHere filtered={metric.reports > 0} someReports={someReports} />
      ) : (
        <TooFew estimates={strings} />
      );
    case 'no-candidates':
      return <TooFew estimates={strings} />;
    case 'not-enough-data':
      return <p class="quiet">Nothing can be shown yet. It needs more reports{metric.type === 'discover' ? '' : ', not a longer list'}.</p>;
    default:
      return chart;
  }
}
