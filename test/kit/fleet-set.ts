/**
 * Sets of this project's own laws: candidates as texts with the shipped hash, and the tallies of a fleet in which each device sends one report.
 * A device's string is drawn from the population and its cohort evenly; its bits, or its bucket, are drawn by the law.
 */

import { mechanismOf, rapporLaw, type StringLaw, stringHashingLaw } from '@murmuration/shared';
import type { CellCounts, CellMap } from '#collector/decoding/decode/evidence.ts';
import { cellMapOf } from '#collector/decoding/decode/tallies.ts';
import { binomialsOf } from './coverage/multinomial.ts';
import { type Uniform, uniforms } from './random.ts';

export const FLEET_MECHANISMS = ['rappor', 'string-hashing'] as const;
type FleetMechanism = (typeof FLEET_MECHANISMS)[number];

export const SPECTRA = ['five strings', 'Zipf 1.1', 'Zipf 1.3', 'half unlisted', 'near-duplicates', '100,000 candidates'] as const;
/** `tied`: three strings that are as frequent. */
type Spectrum = (typeof SPECTRA)[number] | 'tied';

export interface FleetSetting {
  readonly mechanism: FleetMechanism;
  readonly epsilon: number;
  readonly reports: number;
  readonly spectrum: Spectrum;
}

/** A population: what shares are listed, how many listed strings nobody has, and the shares of strings on no list. */
interface Population {
  readonly listed: readonly number[];
  readonly nulls: number;
  readonly unlisted: readonly number[];
  readonly textOf: (v: number) => string;
}

const zipf = (strings: number, power: number): readonly number[] => {
  const weights = Array.from({ length: strings }, (_, i) => (i + 1) ** -power);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
};

const word = (v: number): string => `string ${v}`;

function populationOf(spectrum: Spectrum): Population {
  const of = (listed: readonly number[], candidates: number): Population => ({
    listed,
    nulls: candidates - listed.length,
    unlisted: [],
    textOf: word,
  });
  switch (spectrum) {
    case 'five strings':
      return of([0.4, 0.25, 0.15, 0.12, 0.08], 505);
    case 'Zipf 1.1':
      return of(zipf(500, 1.1), 1_000);
    case 'Zipf 1.3':
      return of(zipf(500, 1.3), 1_000);
    case 'half unlisted': {
      // The ranks 1, 4, 5, 8, 9, ... are listed: each pair of pairs holds nearly the same mass.
      const shares = zipf(1_000, 1.1);
      const isListed = (i: number): boolean => i % 4 === 0 || i % 4 === 3;
      return {
        ...of(
          shares.filter((_, i) => isListed(i)),
          1_000,
        ),
        unlisted: shares.filter((_, i) => !isListed(i)),
      };
    }
    case 'near-duplicates':
      // Each string beside three that differ from it in a character or two, which nobody has.
      return {
        ...of(zipf(250, 1.1), 1_000),
        textOf: (v) => `https://example.com/${Math.floor(v % 250)}${['', '/', '/#', '/?'][Math.floor(v / 250)] as string}`,
      };
    case 'tied':
      return { ...of([0.07, 0.07, 0.07], 53), unlisted: Array<number>(79).fill(0.01) };
    case '100,000 candidates':
      return of(zipf(1_000, 1.1), 100_000);
  }
}

/** A set, with the truth of the population. The first `listed` candidates are somebody's. */
export interface FleetSet {
  readonly counts: CellCounts;
  readonly map: CellMap;
  readonly population: Float64Array;
  /** The shares of the reports. */
  readonly sampled: Float64Array;
  readonly listed: number;
  readonly unlisted: readonly number[];
  /** The share of the reports that listed strings have. */
  readonly sampledUnlisted: number;
}

const DEVICES = 100_000;
export const lawOf = ({ mechanism, epsilon }: FleetSetting): StringLaw =>
  mechanism === 'rappor' ? rapporLaw(epsilon, DEVICES) : stringHashingLaw(epsilon, DEVICES);

/** The candidates. */
export function textsOf(spectrum: Spectrum): readonly string[] {
  const { listed, nulls, textOf } = populationOf(spectrum);
  return Array.from({ length: listed.length + nulls }, (_, v) => textOf(v));
}

/** The candidates' cells: the same for all sets of a law and a spectrum. */
export const fleetMapOf = (setting: FleetSetting): CellMap => cellMapOf(lawOf(setting), textsOf(setting.spectrum));

/** The place of a number below ascending sums. */
function placeOf(sums: Float64Array, x: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x < (sums[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Draws a set. */
export function fleetSet(setting: FleetSetting, map: CellMap, seed: number): FleetSet {
  const uniform = uniforms(seed);
  const law = lawOf(setting);
  const { listed, nulls, unlisted } = populationOf(setting.spectrum);
  const { cohorts } = law;
  const isExclusive = law.mechanism === 'string-hashing';
  const cells = law.mechanism === 'string-hashing' ? law.buckets : (law as { readonly bits: number }).bits;
  const { p: inside, q: outside } = mechanismOf(law).support(law);
  const shares = [...listed, ...unlisted];
  const sums = new Float64Array(shares.length);
  let sum = 0;
  for (const [i, share] of shares.entries()) sums[i] = sum += share;
  const { places } =
    unlisted.length === 0
      ? map
      : cellMapOf(
          law,
          Array.from({ length: unlisted.length }, (_, i) => `unlisted ${i} of ${seed}`),
        );
  const offset = unlisted.length === 0 ? 0 : listed.length;
  const [reports, having, counts] = [new Float64Array(cohorts), new Float64Array(cohorts * cells), new Float64Array(cohorts * cells)];
  const sampled = new Float64Array(map.candidates);
  let missing = 0;
  for (let report = 0; report < setting.reports; report++) {
    const string = placeOf(sums, uniform() * sum);
    const cohort = Math.floor(uniform() * cohorts);
    const of = string < listed.length ? map.places : places;
    const row = string < listed.length ? string : string - offset;
    const own = cohort * cells + (of[row * cohorts + cohort] as number);
    reports[cohort] = (reports[cohort] as number) + 1;
    if (string < listed.length) sampled[string] = (sampled[string] as number) + 1 / setting.reports;
    else missing += 1 / setting.reports;
    if (isExclusive) {
      const other = (): number => {
        const drawn = cohort * cells + Math.floor(uniform() * (cells - 1));
        return drawn >= own ? drawn + 1 : drawn;
      };
      const at = uniform() < inside ? own : other();
      counts[at] = (counts[at] as number) + 1;
    } else having[own] = (having[own] as number) + 1;
  }
  if (!isExclusive) addBits({ cohorts, cells, reports, having, counts, inside, outside }, uniform);
  const population = new Float64Array(listed.length + nulls);
  population.set(listed.map((share) => share / sum));
  return {
    counts: { cohorts, cells, reports, counts, inside, outside, ...(isExclusive && { isExclusive }) },
    map,
    population,
    sampled,
    listed: listed.length,
    unlisted: unlisted.map((share) => share / sum),
    sampledUnlisted: missing,
  };
}

function addBits(
  { cohorts, cells, reports, having, counts, inside, outside }: CellCounts & { readonly having: Float64Array },
  uniform: Uniform,
): void {
  const [ofOnes, ofZeros] = [binomialsOf(inside, uniform), binomialsOf(outside, uniform)];
  for (let at = 0; at < cohorts * cells; at++) {
    const ones = having[at] as number;
    counts[at] = ofOnes(ones) + ofZeros((reports[Math.floor(at / cells)] as number) - ones);
  }
}
