// Pages that are files of their own, with their styles: the overview is there without them. It fetches that of a question once it has nothing
// else to do.

import { useEffect, useState } from 'preact/hooks';

interface Pages {
  readonly question: typeof import('./question/page.tsx').QuestionPage;
  readonly plan: typeof import('./plan/page.tsx').PlanPage;
}

const pages: { readonly [name in keyof Pages]: () => Promise<Pages[name]> } = {
  question: async () => (await import('./question/page.tsx')).QuestionPage,
  plan: async () => (await import('./plan/page.tsx')).PlanPage,
};

let styles: Promise<void> | undefined;

/** Adds the styles of these pages to the document. The name is that of the file, which the build renames. */
function loadStyles(): Promise<void> {
  styles ??= new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = './later.css';
    link.onload = () => resolve();
    link.onerror = () => reject(new Error('no styles'));
    document.head.append(link);
  });
  styles.catch(() => {
    styles = undefined;
  });
  return styles;
}

/** Milliseconds until a question's page is fetched where no question is shown: answers go first. */
const IDLE = 3_000;

/** A page; null until it is there, and `failed` where the collector has another one by now. */
export function useLater<K extends keyof Pages>(name: K, isWanted: boolean, isSoon = false): Pages[K] | 'failed' | null {
  const [found, setFound] = useState<{ readonly page: Pages[K] } | 'failed' | null>(null);
  useEffect(() => {
    const fetchIt = (): void => {
      Promise.all([pages[name](), loadStyles()]).then(
        ([page]) => setFound({ page }),
        () => isWanted && setFound('failed'),
      );
    };
    if (isWanted) return fetchIt();
    if (!isSoon) return undefined;
    const timer = setTimeout(fetchIt, IDLE);
    return () => clearTimeout(timer);
  }, [isWanted]);
  return found === null || found === 'failed' ? found : found.page;
}
