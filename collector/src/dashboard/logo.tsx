// The logo: a flock of dots that forms one shape. Each dot is x, y and radius.
// It is hidden from screen readers, because it is next to the name.

import type { VNode } from 'preact';

const FLOCK = [
  [25, 17.2, 2.3],
  [21.5, 21.7, 2.3],
  [31.8, 18.7, 2],
  [30, 14, 1.7],
  [18.3, 26.8, 1.7],
  [13.1, 24.3, 1.7],
  [20.6, 13.6, 1.6],
  [36.4, 19.5, 1.5],
  [30.4, 23.7, 1.5],
  [23.3, 27.3, 1.5],
  [10.8, 30, 1.4],
  [16.9, 15.7, 1.4],
  [24.8, 10.1, 1.3],
  [41.2, 19.8, 1.1],
  [34.6, 23.4, 1.1],
  [28.7, 27.9, 1.1],
  [28.6, 9.8, 1.1],
  [16, 31.1, 1.1],
  [5.2, 34, 1.1],
  [36.1, 15, 1],
  [21, 31.3, 1],
  [13.2, 18.3, 1],
  [8.2, 33, 0.9],
  [7.6, 29, 0.9],
  [25.4, 30.9, 0.9],
  [20.1, 7.9, 0.9],
  [42.6, 22.8, 0.8],
  [38.9, 22.3, 0.8],
  [38.5, 16.7, 0.8],
  [33.9, 12.2, 0.8],
  [8.6, 25.6, 0.8],
  [10.7, 21.3, 0.8],
] as const;

export function Logo(): VNode {
  return (
    <svg class="logo" viewBox="3 5 42 32" aria-hidden="true">
      {FLOCK.map(([x, y, radius]) => (
        <circle key={`${x},${y}`} cx={x} cy={y} r={radius} />
      ))}
    </svg>
  );
}
