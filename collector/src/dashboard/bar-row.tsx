// One answer: its name, a bar from zero to the estimate, whiskers from low to high, and the same in figures.
// A bar is hollow while its interval contains zero, because the answer may not occur at all.

import type { VNode } from 'preact';
import type { Answer } from '../api/shown.ts';
import { type Axis, length, position } from './axis.ts';
import { ends, margin, percent } from './format.ts';

interface BarRowProps {
  readonly answer: Answer;
  readonly label: string;
  readonly axis: Axis;
  readonly decimals: number;
  /** Whether it is a string that was found: it is there, and if its interval reaches zero, the most that it can be is what is known. */
  readonly isFound?: boolean;
}

export function BarRow({ answer, label, axis, decimals, isFound = false }: BarRowProps): VNode {
  const { estimate, low, high, truth } = answer;
  const title = `${label}: ${percent(estimate, decimals)}, 95 % interval ${ends(answer, decimals, 'to')}`;
  return (
    <li class={low <= 0 ? 'row row-open' : 'row'} title={title}>
      <span class="row-label" dir="auto">
        {label}
      </span>
      <span class="track" aria-hidden="true">
        <Lines axis={axis} />
        <span class="bar" style={{ left: position(axis, Math.min(0, estimate)), width: length(axis, Math.abs(estimate)) }} />
        {truth !== undefined && <span class="truth" style={{ left: position(axis, truth) }} />}
        <span class="whisker" style={{ left: position(axis, low), width: length(axis, high - low) }} />
      </span>
      <span class="row-value">
        {isFound && low <= 0 ? (
          <span class="row-estimate">at most {percent(high, decimals, Math.ceil)}</span>
        ) : (
          <>
            <span class="row-estimate">{percent(estimate, decimals)}</span>
            <span class="row-margin"> ± {margin(answer, decimals)}</span>
          </>
        )}
      </span>
    </li>
  );
}

/** The lines of the axis behind a row. */
export function Lines({ axis }: { axis: Axis }): VNode {
  return (
    <>
      {axis.ticks.map((tick) => (
        <span key={tick.toFixed(6)} class={Math.abs(tick) < 1e-9 ? 'line line-zero' : 'line'} style={{ left: position(axis, tick) }} />
      ))}
    </>
  );
}
