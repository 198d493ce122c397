// The estimates of one metric, requested again when its number of reports or the filter has changed.
// A slow response is never requested twice. A failed request is retried with the next list of metrics.

import { useEffect, useRef, useState } from 'preact/hooks';
import { type Asked, fetchEstimates, inWords } from './api.ts';
import type { Estimates, Metric } from './types.ts';

export interface EstimatesState {
  readonly estimates: Estimates | null;
  readonly problem: string | null;
  /** Whether the estimates shown belong to the previous filter. */
  readonly outdated: boolean;
}

interface Held {
  readonly address: string;
  readonly estimates: Estimates | null;
  readonly problem: string | null;
}

interface Request {
  readonly address: string;
  readonly reports: number;
  readonly control: AbortController;
  state: 'asked' | 'answered' | 'failed';
}

/** `metric` is a new object in each list of metrics, which triggers the retry. `address` is that of what is asked. */
export function useEstimates(metric: Metric, address: string, asked: Asked): EstimatesState {
  const [held, setHeld] = useState<Held>({ address, estimates: null, problem: null });
  const last = useRef<Request | null>(null);

  useEffect(() => {
    const before = last.current;
    if (before?.address === address) {
      if (before.state === 'asked') return;
      if (before.state === 'answered' && before.reports === metric.reports) return;
    }
    before?.control.abort();
    const request: Request = { address, reports: metric.reports, control: new AbortController(), state: 'asked' };
    last.current = request;
    fetchEstimates(metric, asked, request.control.signal).then(
      (estimates) => {
        request.state = 'answered';
        if (last.current === request) setHeld({ address, estimates, problem: null });
      },
      (problem) => {
        request.state = 'failed';
        if (last.current === request) setHeld((held) => ({ ...held, problem: inWords(problem) }));
      },
    );
  }, [metric, address]);

  useEffect(() => () => last.current?.control.abort(), []);
  const outdated = held.address !== address;
  return { estimates: outdated && held.problem ? null : held.estimates, problem: held.problem, outdated };
}
