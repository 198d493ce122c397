// A picture of an answer to days: a line through the days, and a band of two standard errors to each side.

import type { VNode } from 'preact';
import type { Measured } from '../api/shown.ts';
import { count, dayRange } from './format.ts';

const [WIDTH, HEIGHT] = [600, 120];

/** Standard errors to each side. */
const BAND = 2;

const signed = (value: number): string => count(Math.round(value)).replace('-', '\u2212');

export function DaysPicture({ cells }: { cells: NonNullable<Measured['cells']> }): VNode {
  const days = cells.map(({ values }) => values['day'] ?? '');
  const [from, to] = [days[0] ?? '', days.at(-1) ?? ''];
  const numbers = cells.map(({ value }) => value);
  const half = BAND * (cells[0]?.standardError ?? 0);
  // The axis begins at 0, and below it where noise has made a day negative.
  const [low, high] = [Math.min(0, ...numbers.map((value) => value - half)), Math.max(1, ...numbers.map((value) => value + half))];
  const x = (i: number): number => (cells.length === 1 ? WIDTH / 2 : (i / (cells.length - 1)) * WIDTH);
  const y = (value: number): number => HEIGHT * (1 - (value - low) / (high - low));
  const along = (by: number): readonly string[] => numbers.map((value, i) => `${x(i).toFixed(1)},${y(value + by).toFixed(1)}`);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const label = `Reports by day, ${dayRange(from, to)}: from ${signed(least)} to ${signed(most)}`;
  return (
    <figure class="release-days">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <polygon points={[...along(half), ...along(-half).toReversed()].join(' ')} />
        <line x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        <polyline points={along(0).join(' ')} />
      </svg>
      <figcaption class="quiet">
        <span>{from}</span>
        <span>
          {signed(least)} to {signed(most)} a day
        </span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}
