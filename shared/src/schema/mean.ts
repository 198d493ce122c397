/** A number's mean: clamped to a range, so that no number is out of it. */

import { meanLaw } from '../mechanisms/number.ts';
import type { NumberLaw } from '../mechanisms/table.ts';
import type { MetricDocument } from './document.ts';
import type { Ask, NamedMean, Question } from './question.ts';

/** The lowest and the highest number of a range. */
export type Range = readonly [low: number, high: number];

/** Where a number lies in a range, from 0 to 1, NaN at its low end; undefined for what is no number. */
export const placeOf = ([low, high]: Range, value: unknown): number | undefined =>
  typeof value === 'number' ? (Math.min(high, Math.max(low, Number.isNaN(value) ? low : value)) - low) / (high - low) : undefined;

/** What a law's outputs say, as people read it: the range, in as many steps as there are outputs; of a hybrid then its ends. */
export function outputLabels([low, high]: Range, law: NumberLaw): readonly string[] {
  const last = 'tails' in law ? law.tails.length : law.grid + law.window - 1;
  const steps = Array.from({ length: last + 1 }, (_, i) => String(Number((low + ((high - low) * i) / last).toPrecision(3))));
  return law.mechanism === 'hybrid' ? [...steps, `${low}`, `${high}`] : steps;
}

/** What is a number's mean? Numbers beyond the range count as its ends. */
export function mean(range: Range, ask: Ask<NamedMean>): Question<number> {
  const lawOf = (epsilon: number, devices: number): NumberLaw =>
    (ask.mechanism ? ask.mechanism.law(0, epsilon, devices) : meanLaw(epsilon)) as NumberLaw;
  return {
    type: 'mean',
    ask,
    fields: { range },
    size: 0,
    input: (value) => placeOf(range, value),
    labels: () => outputLabels(range, lawOf(ask.epsilon, 1)),
    ...ask.mechanism,
    law: (_size, epsilon, devices) => lawOf(epsilon, devices),
  };
}

/** The range of a metric whose mean is estimated; undefined for one whose answers' shares are. */
export const rangeOf = (metric: MetricDocument): Range | undefined =>
  metric.type === 'mean' ? metric.range : metric.type === 'count' ? [0, metric.max] : undefined;
