// How a metric's answers are drawn: their order, their labels, and the axis that they fit on. What may be concluded from them is the verdict
// of the API.

import { type Answer, type Metric, type MetricType, views } from '../api/shown.ts';
import { bucketInWords } from './format.ts';

// The order of answers: a flag's yes first; long lists by estimate; short lists as in the schema, because people know the order
// of their own few answers; buckets of a histogram and cells of a distribution always in numeric order.

const LONGEST_IN_SCHEMA_ORDER = 6;

export function inOrder(answers: readonly Answer[], type: MetricType): readonly Answer[] {
  if (views[type] === 'yes-no') return answers.toSorted((one, other) => Number(other.answer === true) - Number(one.answer === true));
  if (views[type] === 'scale' || answers.length <= LONGEST_IN_SCHEMA_ORDER) return answers;
  return answers.toSorted((one, other) => other.estimate - one.estimate);
}

/** The label of an answer on the page. A string that may go on says so. */
export function labelOf(answer: Pick<Answer, 'answer' | 'label'> & { readonly isCut?: true }, type: MetricType): string {
  if (views[type] === 'yes-no') return answer.answer === true ? 'Yes' : 'No';
  if (views[type] === 'scale') return bucketInWords(answer.label);
  if (answer.label === '') return '(empty)';
  return answer.isCut ? `${answer.label}…` : answer.label;
}

/** A key that identifies an answer as long as the page is open. */
export function keyOf(answer: Answer): string {
  return JSON.stringify(answer.answer);
}

const OPEN: readonly Metric['mechanism'][] = ['rappor', 'string-hashing', 'prefix-hashing'];

/** True if its answers are strings or include one. They are decoded then. */
export const isOpen = ({ mechanism }: Metric): boolean => OPEN.includes(mechanism);

/** True if anybody may see the question. Those with strings have no public page. */
export const isPublic = (metric: Metric): boolean => metric.publish === true && !isOpen(metric);

// The scale of one chart. It covers every whole interval, so nothing is clipped; it begins a little below 0 when
// an interval does. Its ends are round numbers, so that it does not move while estimates settle.

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
  return axisOver(Math.min(0, ...marks), Math.max(views[type] === 'yes-no' ? 1 : 0.01, ...marks));
}

/** An axis with round ends that holds both numbers. */
export function axisOver(lowest: number, highest: number): Axis {
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
