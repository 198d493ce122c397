// The page of a question as a file of its own: the overview is there without it, and fetches it once it has nothing else to do.

import { useEffect, useState } from 'preact/hooks';

type QuestionModule = typeof import('./page.tsx');

let loading: Promise<QuestionModule> | undefined;

function load(): Promise<QuestionModule> {
  loading ??= import('./page.tsx');
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

/** Milliseconds until it is fetched where no question is shown: answers go first. */
const IDLE = 3_000;

/** The page of a question; null until it is there, and `failed` where the collector has another one by now. */
export function useQuestionPage(isWanted: boolean): QuestionModule['QuestionPage'] | 'failed' | null {
  const [found, setFound] = useState<{ readonly page: QuestionModule['QuestionPage'] } | 'failed' | null>(null);
  useEffect(() => {
    const fetchIt = (): void => {
      load().then(
        ({ QuestionPage }) => setFound({ page: QuestionPage }),
        () => isWanted && setFound('failed'),
      );
    };
    if (isWanted) return fetchIt();
    const timer = setTimeout(fetchIt, IDLE);
    return () => clearTimeout(timer);
  }, [isWanted]);
  return found === null || found === 'failed' ? found : found.page;
}
