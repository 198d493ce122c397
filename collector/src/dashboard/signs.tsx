// Signs that reports are not what they seem, and the line about those of one metric. They are asked for when reports
// have come, at most once a minute, and every five minutes: a silence brings no reports.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Metric, Sign } from '../api/shown.ts';
import { fetchSigns } from './api.ts';
import { joined, signInWords } from './explain.ts';

const PAUSE = 60_000;
const LONGEST = 300_000;
/** Milliseconds until signs that did not come are asked for again. */
const RETRY = 2_000;

/** The signs; null until they come. */
export function useSigns(metrics: readonly Metric[]): readonly Sign[] | null {
  const [signs, setSigns] = useState<readonly Sign[] | null>(null);
  const [turn, setTurn] = useState(0);
  const asked = useRef(-PAUSE);
  useEffect(() => {
    const timer = setInterval(() => setTurn((count) => count + 1), LONGEST);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    const now = performance.now();
    if (now - asked.current < PAUSE || document.hidden) return;
    asked.current = now;
    const askAgain = (): void => {
      asked.current = -PAUSE;
      setTimeout(() => setTurn((count) => count + 1), RETRY);
    };
    fetchSigns().then(setSigns, askAgain); // the first look at an app of many days takes the collector a while
  }, [metrics, turn]);
  return signs;
}

/** The signs of one metric. */
export function SignLine({ signs }: { signs: readonly Sign[] }): VNode | null {
  const [first, ...others] = joined(signs);
  if (first === undefined) return null;
  return (
    <p class="note note-problem" title={first.evidence}>
      {signInWords(first)}
      {others.length > 0 && ` There ${others.length === 1 ? 'is 1 more sign' : `are ${others.length} more signs`} here.`}
    </p>
  );
}
