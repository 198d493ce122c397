// Addresses of the page: the overview, the plan, and one for each question. All are below the base, which the collector writes into the page. A click on a
// link to one of them changes the address and what is shown, without loading the page again; Back and Forward do the same.

import { useLayoutEffect, useState } from 'preact/hooks';
import type { Metric } from '../api/shown.ts';
import { type Filter, withFilter } from './filter.ts';

/** The part of the page that an address shows, and its query. */
export interface Address {
  /** The name of a metric; null for the overview and the plan. */
  readonly question: string | null;
  readonly isPlan: boolean;
  readonly query: string;
}

/** The plan, relative to the base. */
export const PLAN = 'plan';

/** The address of a URL; undefined where something else than this page is there. */
export function addressOf({ origin, pathname, search }: URL, base: URL): Address | undefined {
  if (origin !== base.origin || !pathname.startsWith(base.pathname)) return undefined;
  const path = pathname.slice(base.pathname.length);
  const [, question = null] = /^questions\/([\w.-]+)$/.exec(path) ?? [];
  const isPlan = path === PLAN;
  return question === null && !isPlan && !/^(index\.html)?$/.test(path) ? undefined : { question, isPlan, query: search };
}

/** Where a question is, relative to the base. */
export function questionPath({ app, metric }: Pick<Metric, 'app' | 'metric'>, filter: Filter): string {
  return `questions/${metric}${withFilter(`?app=${app}`, filter)}`;
}

const current = (): Address =>
  addressOf(new URL(location.href), new URL(document.baseURI)) ?? { question: null, isPlan: false, query: location.search };

/** Shows what is at an address relative to the base. Back returns to the address before, unless it is replaced. */
export function goTo(path: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(path, document.baseURI);
  const isElsewhere = url.pathname !== location.pathname;
  history[`${how}State`](how === 'push' ? null : history.state, '', url);
  dispatchEvent(new PopStateEvent('popstate'));
  if (isElsewhere) scrollTo(0, 0);
}

/** Follows links within the page. Clicks that ask for another tab, a window or a download are the browser's. */
function follow(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.defaultPrevented);
  if (link === null || !isPlain || link.target !== '' || link.download !== '') return;
  if (addressOf(new URL(link.href), new URL(document.baseURI)) === undefined) return;
  event.preventDefault();
  goTo(link.href);
}

/** The address that is shown. It listens before the first frame: a link may be clicked as soon as it is seen. */
export function useAddress(): Address {
  const [address, setAddress] = useState(current);
  useLayoutEffect(() => {
    const show = (): void => setAddress(current());
    addEventListener('popstate', show);
    document.addEventListener('click', follow);
    return () => {
      removeEventListener('popstate', show);
      document.removeEventListener('click', follow);
    };
  }, []);
  return address;
}

/** Names the tab, at once with what is shown. */
export function useTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = `${title} · Murmuration`;
    return () => {
      document.title = 'Murmuration';
    };
  }, [title]);
}
