// The list of metrics, polled every two seconds while the tab is visible, and the state of the connection.
// The next request waits for the last response, so that a slow collector gets no additional load.

import { useEffect, useState } from 'preact/hooks';
import type { Metric } from '../api/shown.ts';
import { fetchMetrics, inWords, isAnswer, isSignedOut, refusalOf } from './api.ts';

const INTERVAL = 2_000;

export type Connection = 'connecting' | 'live' | 'lost' | 'failing' | 'paused' | 'signed-out';

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

async function poll(signal: AbortSignal, setState: (next: (before: MetricsState) => MetricsState) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const metrics = await fetchMetrics(signal);
      if (!signal.aborted) setState(() => ({ metrics, connection: 'live', answered: new Date(), problem: null }));
    } catch (problem) {
      if (refusalOf(problem) === 'forbidden') return location.replace('releases.html'); // an analyst, who may read nothing here
      if (isSignedOut(problem)) {
        // Nothing changes by itself: signing in loads the page again.
        setState(() => ({ ...initially, connection: 'signed-out' }));
        return;
      }
      if (!signal.aborted)
        setState((before) => ({ ...before, connection: isAnswer(problem) ? 'failing' : 'lost', problem: inWords(problem) }));
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}
