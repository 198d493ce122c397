/** Numbers in a range, shared by all questions about numbers. */

import type { NumberLaw } from '../mechanisms/table.ts';

/** The lowest and the highest number of a range. */
export type Range = readonly [low: number, high: number];

/**
 * The place of a number in a range, from 0 to 1, with NaN at the low end; undefined for a value that is not a number. It is also undefined
 * if the range's width is not a finite number above 0: the width of -1e308 .. 1e308 is infinite, and a place in it would be NaN, for which
 * no law has an output.
 */
export function placeOf([low, high]: Range, value: unknown): number | undefined {
  const width = high - low;
  if (typeof value !== 'number' || !(width > 0 && width < Number.POSITIVE_INFINITY)) return undefined;
  return (Math.min(high, Math.max(low, Number.isNaN(value) ? low : value)) - low) / width;
}

/** The places of a law's outputs, in units of the last one's place: in steps, or by their scores. A hybrid law's two ends come last. */
function outputPlaces(law: NumberLaw): readonly number[] {
  if ('scores' in law) return law.scores;
  const steps = 'tails' in law ? [0, ...law.tails] : Array.from({ length: 'grid' in law ? law.grid + law.window : 2 });
  const places = steps.map((_, i) => i);
  return 'mix' in law ? [...places, 0, places.length - 1] : places;
}

/** The labels of a law's outputs. */
export function outputLabels([low, high]: Range, law?: NumberLaw): readonly string[] {
  const places = law ? outputPlaces(law) : [];
  const last = places[places.length - 1] as number;
  return places.map((place) => String(Number((low + ((high - low) * place) / last).toPrecision(3))));
}
