// Asking for what is seen only: which elements are on the screen or near it, and a few requests at a time. The browser has six connections to
// a server, so the list of metrics and a click always find a free one.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const heard = new WeakMap<Element, (isNear: boolean) => void>();
let observer: IntersectionObserver | undefined;

/** Rows within this distance of the screen are fetched before they are seen. */
const MARGIN = '160px';

/** True while the element is on the screen or near it. */
export function useNear(element: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    observer ??= new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) heard.get(target)?.(isIntersecting);
      },
      { rootMargin: MARGIN },
    );
    heard.set(current, setNear);
    observer.observe(current);
    return () => observer?.unobserve(current);
  }, []);
  return isNear;
}

/** Requests at once. */
let free = 4;
const waiting: (() => void)[] = [];

/** Asks when it is its turn. What is aborted meanwhile is not asked. */
export async function inTurn<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    signal.throwIfAborted();
    return await ask();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  }
}
