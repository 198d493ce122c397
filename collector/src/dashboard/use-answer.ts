// The answer about one metric, requested again when its number of reports or the filter has changed.
// A slow response is never requested twice, nor at once again. A failed request is retried with the next list of metrics.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Metric, Progress } from '../api/shown.ts';
import { inWords, refusalOf } from './api.ts';

/** An answer that took a while is asked for again after this many times as long. */
const PATIENCE = 4;

export interface AnswerState<T> {
  readonly value: T | null;
  readonly problem: string | null;
  /** The collector's word for the problem, if it is a refusal. */
  readonly refusal: string | null;
  /** Whether the value shown belongs to the previous filter. */
  readonly outdated: boolean;
  /** How far the answer to what is asked now is; null when it is there, or nothing is known. */
  readonly progress: Progress | null;
}

interface Held<T> {
  readonly address: string;
  readonly value: T | null;
  readonly problem: string | null;
  readonly refusal: string | null;
}

interface Request {
  readonly address: string;
  readonly reports: number;
  readonly control: AbortController;
  readonly began: number;
  state: 'asked' | 'answered' | 'failed';
  /** When it may be asked again. */
  again: number;
}

/** Asks, and tells how far the answer is if that is known. */
type Ask<T> = (signal: AbortSignal, onProgress: (how: Progress) => void) => Promise<T>;

/** `metric` is a new object in each list of metrics, which triggers the retry. `address` is that of what is asked. */
export function useAnswer<T>(metric: Metric, address: string, ask: Ask<T>): AnswerState<T> {
  const [held, setHeld] = useState<Held<T>>({ address, value: null, problem: null, refusal: null });
  const [progress, setProgress] = useState<Progress | null>(null);
  const last = useRef<Request | null>(null);

  useEffect(() => {
    const before = last.current;
    if (before?.address === address) {
      if (before.state === 'asked') return;
      if (before.state === 'answered' && (before.reports === metric.reports || performance.now() < before.again)) return;
    }
    before?.control.abort();
    const began = performance.now();
    const request: Request = { address, reports: metric.reports, control: new AbortController(), began, state: 'asked', again: began };
    last.current = request;
    const isLast = (): boolean => last.current === request;
    const end = (state: Request['state']): void => {
      request.state = state;
      request.again = performance.now() + PATIENCE * (performance.now() - request.began);
      if (isLast()) setProgress(null);
    };
    ask(request.control.signal, (how) => isLast() && setProgress(how)).then(
      (value) => {
        end('answered');
        if (isLast()) setHeld({ address, value, problem: null, refusal: null });
      },
      (problem) => {
        end('failed');
        if (isLast()) setHeld((held) => ({ ...held, problem: inWords(problem), refusal: refusalOf(problem) }));
      },
    );
  }, [metric, address]);

  useEffect(() => () => last.current?.control.abort(), []);
  const outdated = held.address !== address;
  return { value: outdated && held.problem ? null : held.value, problem: held.problem, refusal: held.refusal, outdated, progress };
}
