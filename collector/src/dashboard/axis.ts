// The scale of one chart. It covers every whole interval, so nothing is clipped; it begins a little below 0 when
// an interval does. Its ends are round numbers, so that it does not move while estimates settle.

import type { Answer, MetricType } from '../api/shown.ts';
import { views } from '../api/shown.ts';

export interface Axis {
  readonly bottom: number;
  readonly top: number;
  readonly ticks: readonly number[];
  /** Decimals needed to distinguish two ticks. */
  readonly decimals: number;
}

/** The axis for these answers. A flag's axis always covers 0 to 100 %, because its two bars are parts of one whole. */
export function axisFor(answers: readonly Answer[], type: MetricType): Axis {
  const marks = answers.flatMap(({ estimate, low, high, truth = 0 }) => [estimate, low, high, truth]);
  const lowest = Math.min(0, ...marks);
  const highest = Math.max(views[type] === 'yes-no' ? 1 : 0.01, ...marks);
  const step = roundStep((highest - lowest) / 4);
  const top = Math.ceil(highest / step - 1e-9);
  const bottom = Math.floor((4 * lowest) / step + 1e-9) / 4;
  const first = Math.ceil(bottom);
  const ticks = Array.from({ length: top - first + 1 }, (_, index) => (first + index) * step);
  return { bottom: bottom * step, top: top * step, ticks, decimals: Math.max(0, -Math.floor(Math.log10(step * 100) + 1e-9)) };
}

/** The position of a share on the axis, as a CSS length. */
export function position(axis: Axis, share: number): string {
  return length(axis, share - axis.bottom);
}

/** The length of a difference of shares on the axis, as a CSS length. */
export function length(axis: Axis, share: number): string {
  return `${((100 * share) / (axis.top - axis.bottom)).toFixed(3)}%`;
}

/** The least of 1, 2, 5, 10, 20, ... that is at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}
