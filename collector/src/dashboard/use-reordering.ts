// Animates rows to their new positions when the order of a list changes, each from its previous position
// (FLIP: first, last, invert, play). People who prefer reduced motion see the new order at once.

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const GLIDE: KeyframeAnimationOptions = { duration: 500, easing: 'cubic-bezier(0.2, 0, 0, 1)' };

export function useReordering(list: RefObject<HTMLElement | null>, order: string): void {
  const tops = useRef(new Map<Element, number>());
  useLayoutEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const now = new Map<Element, number>();
    for (const row of list.current?.children ?? []) {
      if (!(row instanceof HTMLElement)) continue;
      const top = row.offsetTop;
      const distance = (tops.current.get(row) ?? top) - top;
      if (distance !== 0 && !still) row.animate([{ transform: `translateY(${distance}px)` }, { transform: 'none' }], GLIDE);
      now.set(row, top);
    }
    tops.current = now;
  }, [order]);
}
