// The scale below the bars: a figure under each line.
// Hidden from screen readers, which have every number in the rows.

import type { VNode } from 'preact';
import { position, type Axis as Scale } from './axis.ts';
import { percent } from './format.ts';

export function Axis({ axis }: { axis: Scale }): VNode {
  return (
    <div class="axis" aria-hidden="true">
      <span class="axis-track">
        {axis.ticks.map((tick) => (
          <span key={tick.toFixed(6)} class="axis-tick" style={{ left: position(axis, tick) }}>
            {percent(tick, axis.decimals)}
          </span>
        ))}
      </span>
    </div>
  );
}
