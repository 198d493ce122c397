// One answer: its name, a bar from zero to the estimate, whiskers from low to high, and the same in figures.
// A bar is hollow while its interval contains zero, because the answer may not occur at all.

import type { VNode } from 'preact';
import { type Axis, length, position } from './axis.ts';
import { ends, margin, percent } from './format.ts';
import type { Answer } from './types.ts';

interface BarRowProps {
  readonly answer: Answer;
  readonly label: string;
  readonly axis: Axis;
  readonly decimals: number;
}

export function BarRow({ answer, label, axis, decimals }: BarRowProps): VNode {
  const { estimate, low, high, truth } = answer;
  const title = `${label}: ${percent(estimate, decimals)}, 95 % interval ${ends(answer, decimals, 'to')}`;
  return (
    <li class={low <= 0 ? 'row row-open' : 'row'} title={title}>
      <span class="row-label" dir="auto">
        {label}
      </span>
      <span class="track" aria-hidden="true">
        {axis.ticks.map((tick) => (
          <span key={tick.toFixed(6)} class={Math.abs(tick) < 1e-9 ? 'line line-zero' : 'line'} style={{ left: position(axis, tick) }} />
        ))}
        <span class="bar" style={{ left: position(axis, Math.min(0, estimate)), width: length(axis, Math.abs(estimate)) }} />
        {truth !== undefined && <span class="truth" style={{ left: position(axis, truth) }} />}
        <span class="whisker" style={{ left: position(axis, low), width: length(axis, high - low) }} />
      </span>
      <span class="row-value">
        <span class="row-estimate">{percent(estimate, decimals)}</span>
        <span class="row-margin"> ± {margin(answer, decimals)}</span>
      </span>
    </li>
  );
}
