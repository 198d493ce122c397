// The sentence that answers a question: the verdict of the API in words, or that the numbers can't be.

import type { ComponentChildren, VNode } from 'preact';
import type { Answer, Estimates, Metric, MetricType, Verdict } from '../api/shown.ts';
import { impossibleInWords } from './explain.ts';
import { decimalsFor, decimalsForValue, endsOfValue, rangeInWords, valueInWords } from './format.ts';
import { labelOf } from './judge.ts';

interface ImpossibleProps {
  readonly impossible: NonNullable<Estimates['impossible']>;
  readonly estimates: Estimates;
  readonly metric: Metric;
}

/** Below this, chance does not explain numbers that can't be. */
const BEYOND_CHANCE = 0.001;

/** Stands for the conclusion where the numbers can't be. */
export function ImpossibleLine({ impossible, estimates, metric }: ImpossibleProps): VNode {
  const said = impossibleInWords(impossible, estimates.answers, metric);
  return (
    <p class="verdict">
      {impossible.pValue < BEYOND_CHANCE ? (
        <>
          <strong>These reports can’t be right:</strong> they put {said}.
        </>
      ) : (
        `No conclusion yet: the noise of so few reports puts ${said}.`
      )}
    </p>
  );
}

// The conclusion of a card in one sentence, with the interval in words: the verdict of the API, and nothing that it does not say.
// The sentence may be quoted without the chart.

interface VerdictLineProps {
  readonly verdict: Verdict | undefined;
  readonly answers: readonly Answer[];
  readonly metric: Metric;
}

export function VerdictLine({ verdict, answers, metric }: VerdictLineProps): VNode | null {
  if (verdict === undefined) return null;
  const said = saidBy(verdict, answers, metric);
  return said ? <p class="verdict">{said}</p> : null;
}

/** The subject of a lead, where the answers alone do not say it. */
const LEADING: { readonly [type in MetricType]?: readonly [one: string, among: string] } = {
  histogram: ['The most frequent range is', ' between ranges'],
  joint: ['The most frequent combination is', ' between combinations'],
};

const strong = (name: string | undefined): VNode => <strong dir="auto">{name}</strong>;

/** At least two names: the first two, and how many more. */
const listed = ([first, second, ...others]: readonly ComponentChildren[]): VNode => (
  <>
    {first}
    {others.length > 0 ? ', ' : ' and '}
    {second}
    {others.length > 0 && ` and ${others.length} more`}
  </>
);

const NOT_YET = 'Not enough reports yet to tell.';

function saidBy({ kind, answers: named, interval }: Verdict, answers: readonly Answer[], { type, range, unit }: Metric): ComponentChildren {
  const [first, second, ...others] = named.map((label) => answers.find((answer) => answer.label === label));
  const ofBucket = type === 'histogram' && unit ? ` ${unit}` : '';
  const name = (answer: Answer | undefined) =>
    answer && (
      <strong dir="auto">
        {labelOf(answer, type)}
        {ofBucket}
      </strong>
    );
  const [one, among] = LEADING[type] ?? [];
  switch (kind) {
    case 'share':
    case 'lead':
      if (interval && interval.low <= 0 && interval.high >= 1) return NOT_YET;
      return (
        <>
          {one && kind === 'lead' && `${one} `}
          {name(first)}
          {kind === 'lead' && !one ? ' leads: ' : ': '}
          {interval && rangeInWords(interval, decimalsFor([interval]))}.
        </>
      );
    case 'close':
      // Of strings, those that are not found may be as frequent.
      if (second === undefined) return <>Too close to call whether {name(first)} is the most frequent.</>;
      return (
        <>
          Too close to call{among}: {listed([first, second, ...others].map(name))}.
        </>
      );
    case 'best':
      return (
        interval && (
          <>
            {strong(named[0])} has the highest mean score: between {endsOfValue(interval, decimalsForValue(interval), 'and')}.
          </>
        )
      );
    case 'tied':
      return <>Too close to call which option has the highest mean score: {listed(named.map(strong))}.</>;
    case 'mean':
      if (interval && range && interval.low <= range[0] && interval.high >= range[1]) return NOT_YET;
      return (
        interval &&
        range && (
          <>
            <strong>On average</strong> {valueInWords(interval, range, decimalsForValue(interval))}
            {unit && ` ${unit}`}.
          </>
        )
      );
    case 'median':
      return (
        interval && (
          <>
            <strong>Half</strong> are below, and half above, a number between {endsOfValue(interval, decimalsForValue(interval), 'and')}
            {unit && ` ${unit}`}.
          </>
        )
      );
    case 'noise':
      return 'No answer stands out from the noise yet.';
    case 'none':
      return answers.length === 0
        ? null
        : 'No conclusion here, because the chosen days change every day. Choose all days, or days that stay.';
  }
}
