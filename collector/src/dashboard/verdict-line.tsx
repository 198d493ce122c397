// The conclusion of a card in one sentence, with the interval in words.
// The sentence may be quoted without the chart.

import type { VNode } from 'preact';
import type { Answer, MetricType } from '../api/shown.ts';
import { decimalsFor, rangeInWords } from './format.ts';
import { judge } from './judge.ts';
import { labelOf } from './order.ts';

export function VerdictLine({ answers, type }: { answers: readonly Answer[]; type: MetricType }): VNode {
  const verdict = judge(answers, type);
  const name = (answer: Answer) => <strong dir="auto">{labelOf(answer, type)}</strong>;
  const range = (answer: Answer) => rangeInWords(answer, decimalsFor(answers));
  switch (verdict.kind) {
    case 'share':
    case 'lead':
      return (
        <p class="verdict">
          {name(verdict.answer)}
          {verdict.kind === 'lead' ? ' leads: ' : ': '}
          {range(verdict.answer)}.
        </p>
      );
    case 'close': {
      const [first, second, ...others] = verdict.answers;
      return (
        <p class="verdict">
          Too close to call: {first && name(first)}
          {others.length > 0 ? ', ' : ' and '}
          {second && name(second)}
          {others.length > 0 && ` and ${others.length} more`}.
        </p>
      );
    }
    case 'noise':
      return <p class="verdict">No answer stands out from the noise yet.</p>;
  }
}
