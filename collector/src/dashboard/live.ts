// The list of metrics, polled while the tab is visible, and the state of the connection. While nothing changes it is polled less and less often.
// The next request waits for the last response, so that a slow collector gets no additional load.

import { useEffect, useState } from 'preact/hooks';
import type { Metric } from '../api/shown.ts';
import { allowedIn } from './allowance.ts';
import { fetchMetrics, isAnswer, isLate, isSignedOut, problemInWords, refusalOf } from './api.ts';

/** Milliseconds between two requests: after a change, and at most. */
const INTERVAL = 2_000;
const LONGEST = 10_000;

export type Connection = 'connecting' | 'live' | 'lost' | 'slow' | 'failing' | 'paused' | 'signed-out';

export interface MetricsState {
  readonly metrics: readonly Metric[] | null;
  readonly connection: Connection;
  /** When the collector last responded. */
  readonly answered: Date | null;
  readonly problem: string | null;
}

const initially: MetricsState = { metrics: null, connection: 'connecting', answered: null, problem: null };

export function useMetrics(): MetricsState {
  const [state, setState] = useState(initially);
  useEffect(() => {
    let round = new AbortController();
    const follow = () => {
      round.abort();
      round = new AbortController();
      if (document.hidden) setState((before) => ({ ...before, connection: 'paused' }));
      else void poll(round.signal, setState);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      round.abort();
    };
  }, []);
  return state;
}

/** The list with the objects of the one before for what has not changed, so that nothing of it is drawn again. */
export function merged(before: readonly Metric[] | null, metrics: readonly Metric[]): readonly Metric[] {
  const known = new Map(before?.map((metric) => [`${metric.app} ${metric.metric}`, metric]));
  const list = metrics.map((metric) => {
    const old = known.get(`${metric.app} ${metric.metric}`);
    return old === metric || JSON.stringify(old) === JSON.stringify(metric) ? (old as Metric) : metric;
  });
  return before?.length === list.length && list.every((metric, i) => metric === before[i]) ? before : list;
}

async function poll(signal: AbortSignal, setState: (next: (before: MetricsState) => MetricsState) => void): Promise<void> {
  let last: readonly Metric[] | null = null;
  let pause = INTERVAL;
  while (!signal.aborted) {
    try {
      const metrics = await fetchMetrics(signal);
      const isSame = merged(last, metrics) === last;
      pause = isSame ? Math.min(LONGEST, 2 * pause) : INTERVAL;
      last = metrics;
      if (!signal.aborted)
        setState((before) => ({ metrics: merged(before.metrics, metrics), connection: 'live', answered: new Date(), problem: null }));
    } catch (problem) {
      if (refusalOf(problem) === 'forbidden') return location.replace('releases.html'); // an analyst, who may read nothing here
      if (isSignedOut(problem)) {
        // Nothing changes without a reload: signing in loads the page again.
        setState(() => ({ ...initially, connection: 'signed-out' }));
        return;
      }
      pause = INTERVAL;
      if (!signal.aborted)
        setState((before) => ({
          ...before,
          connection: isAnswer(problem) ? 'failing' : isLate(problem) ? 'slow' : 'lost',
          problem: problemInWords(problem),
        }));
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(pause, allowedIn())));
  }
}
