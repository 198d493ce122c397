/**
 * How many candidates are null, from all p-values. Storey's (2002) estimate, #{p > λ} / (1 - λ), counts most rare strings as null: their
 * p-values are only a little smaller than uniform ones.
 *
 * Here z = Φ^-1(1 - p) is N(θ, 1), and θ is 0 for null candidates. The θ of strings has a density that falls from 0 on: a mixture of uniform
 * densities on (0, a] (Stephens 2017). The EM algorithm finds the shares of the mixture and of the null candidates.
 *
 * All p-values up to CUT are one bin, and only these are reported. So the threshold does not depend on how small a reported p-value is.
 */

import { normalQuantile, normalTail } from '../../estimation/statistics/normal.ts';

/** Candidates with a larger p-value are not reported. */
export const CUT = 0.2;
/** The bins of z = Φ^-1(1 - p). The first begins at -∞, and the last is from CUT's z to ∞. */
const [LEAST, BIN] = [-5.9, 0.1];
const LAST: number = normalQuantile(CUT);
/** a, of each uniform density. */
const WIDTHS = [0.5, 1, 2, 4, 8] as const;
/**
 * EM starts with nearly all candidates null, and counts one more null candidate than there are. After so few steps the estimate is still too
 * large where rare strings are hard to tell from null candidates.
 */
const [STEPS, NULLS, PSEUDO_COUNTS] = [300, 0.9, 1];

/** The upper ends of all bins but the last. */
const ENDS: readonly number[] = [...Array.from({ length: Math.round((LAST - LEAST) / BIN) }, (_, i) => LEAST + i * BIN), LAST];
const P_VALUES: readonly number[] = [...ENDS.slice(0, -1).map(normalTail), CUT];

/** ∫ Φ(t) dt up to x. */
const integral = (x: number): number => x * normalTail(-x) + Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);

/** P(z in the bin) of each bin, where z is below x with this probability. */
function binned(below: (x: number) => number): readonly number[] {
  const until = [...ENDS.map(below), 1];
  return until.map((here, i) => here - (until[i - 1] ?? 0));
}

const OF_NULLS = binned((x) => normalTail(-x));
const PARTS: number = WIDTHS.length + 1;
/** By bin and part of the mixture, of which the first is the null one: how much likelier the bin is than for a null candidate. */
const RATIOS: Float64Array = new Float64Array(PARTS * OF_NULLS.length).fill(1);
for (const [part, width] of WIDTHS.entries()) {
  const law = binned((x) => (integral(x) - integral(x - width)) / width);
  for (const [bin, chance] of law.entries()) RATIOS[bin * PARTS + part + 1] = chance / (OF_NULLS[bin] as number);
}

/** The estimated number of null candidates. `upTo` is the number of p-values that are at most this. */
export function nullCount(all: number, upTo: (p: number) => number): number {
  const above = P_VALUES.map((p) => all - upTo(p));
  const counts = [...above.map((here, bin) => here - (above[bin - 1] ?? 0)), all - (above.at(-1) as number)];
  let weights = Float64Array.from({ length: PARTS }, (_, part) => (part === 0 ? NULLS : (1 - NULLS) / WIDTHS.length));
  let next = new Float64Array(PARTS);
  for (let step = 0; step < STEPS; step++) {
    next.fill(0);
    next[0] = PSEUDO_COUNTS;
    for (let bin = 0; bin < counts.length; bin++) {
      if (counts[bin] === 0) continue;
      const from = bin * PARTS;
      let density = 0;
      for (let part = 0; part < PARTS; part++) density += (weights[part] as number) * (RATIOS[from + part] as number);
      const scale = (counts[bin] as number) / density;
      for (let part = 0; part < PARTS; part++)
        next[part] = (next[part] as number) + (weights[part] as number) * (RATIOS[from + part] as number) * scale;
    }
    for (let part = 0; part < PARTS; part++) next[part] = (next[part] as number) / (all + PSEUDO_COUNTS);
    [weights, next] = [next, weights];
  }
  return Math.min(all, (weights[0] as number) * (all + PSEUDO_COUNTS));
}
