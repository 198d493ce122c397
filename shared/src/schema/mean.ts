/** A number's mean: clamped to a range, so that no number is out of it. */

import { meanLaw } from '../mechanisms/number.ts';
import type { NumberLaw } from '../mechanisms/table.ts';
import { assertAsk } from './asks.ts';
import type { MetricDocument } from './document.ts';
import type { Ask, NamedMean, Question } from './question.ts';

/** The lowest and the highest number of a range. */
export type Range = readonly [low: number, high: number];

/**
 * Where a number lies in a range, from 0 to 1, NaN at its low end; undefined for what is no number. In a range whose width is no
 * finite number above 0 nothing lies: -1e308 .. 1e308 has none, and a place in it would be NaN, which no law has an output for.
 */
export function placeOf([low, high]: Range, value: unknown): number | undefined {
  const width = high - low;
  if (typeof value !== 'number' || !(width > 0 && width < Number.POSITIVE_INFINITY)) return undefined;
  return (Math.min(high, Math.max(low, Number.isNaN(value) ? low : value)) - low) / width;
}

/** Where the outputs of a law stand, the last one's place as the unit: in steps, or by their scores; of a hybrid then its ends. */
function outputPlaces(law: NumberLaw): readonly number[] {
  if ('scores' in law) return law.scores;
  const steps = 'tails' in law ? [0, ...law.tails] : Array.from({ length: 'grid' in law ? law.grid + law.window : 2 });
  const places = steps.map((_, i) => i);
  return 'mix' in law ? [...places, 0, places.length - 1] : places;
}

/** What a law's outputs say, as people read it. */
export function outputLabels([low, high]: Range, law?: NumberLaw): readonly string[] {
  const places = law ? outputPlaces(law) : [];
  const last = places[places.length - 1] as number;
  return places.map((place) => String(Number((low + ((high - low) * place) / last).toPrecision(3))));
}

/** What is a number's mean? Numbers beyond the range count as its ends. Where it is permanent, one bit of the first is kept. */
export function mean(range: Range, ask: Ask<NamedMean>): Question<number> {
  assertAsk('mean', ask);
  return {
    type: 'mean',
    ask,
    fields: { range },
    size: 0,
    law: (_size, epsilon) => meanLaw(epsilon),
    input: (value) => placeOf(range, value),
    labels: (law) => outputLabels(range, law as NumberLaw | undefined),
    ...ask.mechanism,
  };
}

/** The range of a metric whose mean is estimated; undefined for one whose answers' shares are. */
export const rangeOf = (metric: MetricDocument): Range | undefined =>
  metric.type === 'mean' ? metric.range : metric.type === 'count' ? [0, metric.max] : undefined;
