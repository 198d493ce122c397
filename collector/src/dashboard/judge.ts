// The conclusions that a metric's intervals allow. Two answers whose 95 % intervals overlap are called too close.
// This is stricter than a test of their difference, so an announced lead is reliable.

import type { Answer, MetricType } from '../api/shown.ts';
import { views } from '../api/shown.ts';

export type Verdict =
  | { readonly kind: 'share'; readonly answer: Answer }
  | { readonly kind: 'lead'; readonly answer: Answer }
  | { readonly kind: 'close'; readonly answers: readonly Answer[] }
  | { readonly kind: 'noise' };

/** The verdict on at least one answer. */
export function judge(answers: readonly Answer[], type: MetricType): Verdict {
  const [leader, ...others] = answers.toSorted((one, other) => other.estimate - one.estimate);
  if (!leader) return { kind: 'noise' };
  if (views[type] === 'yes-no') return { kind: 'share', answer: answers.find(({ answer }) => answer === true) ?? leader };
  if (leader.low <= 0) return { kind: 'noise' };
  const rivals = others.filter(({ high }) => high >= leader.low);
  return rivals.length === 0 ? { kind: 'lead', answer: leader } : { kind: 'close', answers: [leader, ...rivals] };
}
