// What else changed: the other questions of the app between the two selections that are compared. The API judges all of them together; this part
// only says what it says, and what was left out.

import type { VNode } from 'preact';
import type { Metric, Other } from '../../api/shown.ts';
import { type ComparisonAsked, fetchOthers, othersAddress, useAnswer } from '../api.ts';
import { count } from '../format.ts';
import { Failed, LoadingBars } from '../states.tsx';
import { asSentence, ONE_LOOK } from './compare.tsx';
import type { Sides } from './view.ts';

/** Milliseconds until it is asked for again, where reports come. */
const PAUSE = 60_000;

/** Why some were not compared. */
const REASONS: readonly (readonly [state: Other['state'], reason: string])[] = [
  ['few', 'with too few reports'],
  ['not-asked', 'not asked on both sides'],
  ['void', 'void, as an even coin does not give the reports of their arms'],
  ['strings', 'with strings, which are compared on their own pages'],
  ['not-compared', 'for which there was no time; open this again'],
];

interface OthersProps {
  readonly metric: Metric;
  readonly sides: Sides;
  readonly asked: ComparisonAsked;
  /** The address of another question with the same view. */
  readonly pathOf: (metric: string) => string;
}

export function Others({ metric, sides, asked, pathOf }: OthersProps): VNode {
  const address = othersAddress(metric, sides, asked);
  const { value, problem, outdated } = useAnswer(metric, address, (signal) => fetchOthers(metric, sides, asked, signal), PAUSE);
  if (!value) return problem ? <Failed title="No comparison" problem={problem} /> : <LoadingBars />;
  const of = (state: Other['state']): readonly Other[] => value.others.filter((other) => other.state === state);
  const left = REASONS.flatMap(([state, reason]) => {
    const { length } = of(state);
    return length === 0 ? [] : [`${count(length)} ${reason}`];
  });
  return (
    <div class={outdated ? 'outdated' : ''}>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari forgets that a list without markers is a list */}
      <ul role="list" class="others">
        {of('differs').map((other) => (
          <li key={other.metric}>
            <a href={pathOf(other.metric)} dir="auto">
              {other.description || other.metric}
            </a>{' '}
            {asSentence(other.verdict ?? '')}
          </li>
        ))}
      </ul>
      <p class="evidence">
        {`Too close to call: ${count(of('unclear').length)} of ${count(value.others.length)} other questions. `}
        {left.length > 0 && `Left out: ${left.join('; ')}.`}
      </p>
      {value.looks === 'once' && <p class="evidence">{ONE_LOOK}</p>}
    </div>
  );
}
