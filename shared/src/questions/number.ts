/** Numbers in a range, which every question about numbers shares. */

import type { NumberLaw } from '../mechanisms/table.ts';

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
