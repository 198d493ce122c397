// Signs that reports are not what they seem: a line above all metrics, and one on the card of a metric. They are asked for with every new
// list of metrics, at most once a minute.

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Metric, Sign } from '../api/shown.ts';
import { fetchSigns } from './api.ts';

const PAUSE = 60_000;

/** The signs, none until they come. */
export function useSigns(metrics: readonly Metric[]): readonly Sign[] {
  const [{ signs, asked }, set] = useState<{ readonly signs: readonly Sign[]; readonly asked: number }>({ signs: [], asked: -PAUSE });
  useEffect(() => {
    const now = performance.now();
    if (now - asked < PAUSE) return;
    set((before) => ({ ...before, asked: now }));
    fetchSigns().then(
      (found) => set((before) => ({ ...before, signs: found })),
      () => undefined, // the next list of metrics asks again
    );
  }, [metrics]);
  return signs;
}

const WORDS: { readonly [kind in Sign['kind']]: string } = {
  law: 'crafted or broken reports',
  silence: 'a silence',
  value: 'a jump of its mean',
  rate: 'a jump of its reports',
};

/** The signs of all metrics, in one line. */
export function SignsLine({ signs }: { signs: readonly Sign[] }): VNode | null {
  if (signs.length === 0) return null;
  const metrics = new Set(signs.map(({ app, metric }) => `${app} ${metric}`)).size;
  return (
    <p class="note note-problem" role="status">
      {signs.length === 1 ? '1 sign' : `${signs.length} signs`} of reports that are not what they seem, in{' '}
      {metrics === 1 ? '1 metric' : `${metrics} metrics`}. The last is of {signs[0]?.day}. <a href="v1/signs">All as JSON</a>
    </p>
  );
}

/** The signs of one metric. */
export function SignLine({ signs }: { signs: readonly Sign[] }): VNode | null {
  const [first, ...others] = signs;
  if (first === undefined) return null;
  return (
    <p class="note note-problem" title={first.evidence}>
      Look at {first.day}: signs of {WORDS[first.kind]}
      {first.segments.length > 0 && ` in ${first.segments.join(', ')}`}
      {others.length > 0 && `, and ${others.length} more`}.
    </p>
  );
}
