// Signs that reports are not what they seem: a line above all metrics, and one on the card of a metric. They are asked for with every new
// list of metrics, at most once a minute.

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Metric, Sign } from '../api/shown.ts';
import { fetchSigns } from './api.ts';
import { signInWords } from './explain.ts';
import { dayRange } from './format.ts';

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

/** The signs of all metrics, in one line. */
export function SignsLine({ signs }: { signs: readonly Sign[] }): VNode | null {
  const [first] = signs;
  if (first === undefined) return null;
  const metrics = new Set(signs.map(({ app, metric }) => `${app} ${metric}`)).size;
  return (
    <p class="note note-problem" role="status">
      Some reports may be fake, broken or missing: {signs.length === 1 ? '1 sign' : `${signs.length} signs`} in{' '}
      {metrics === 1 ? '1 metric' : `${metrics} metrics`}, the last on {dayRange(first.day, first.day)}. The{' '}
      {metrics === 1 ? 'card says' : 'cards say'} what was seen. <a href="v1/signs">All as JSON</a>
    </p>
  );
}

/** The signs of one metric. */
export function SignLine({ signs }: { signs: readonly Sign[] }): VNode | null {
  const [first, ...others] = signs;
  if (first === undefined) return null;
  return (
    <p class="note note-problem" title={first.evidence}>
      {signInWords(first)}
      {others.length > 0 && ` There ${others.length === 1 ? 'is 1 more sign' : `are ${others.length} more signs`} here.`}
    </p>
  );
}
